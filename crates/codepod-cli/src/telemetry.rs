//! Traces of `serve`, sent to an OpenTelemetry collector. Where it is and how it is called say the
//! usual variables: `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_SERVICE_NAME`, `OTEL_TRACES_SAMPLER`.

use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::SpanExporter;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use tracing::Subscriber;
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::registry::LookupSpan;

/// Variables that ask for traces.
const WANTED: &[&str] = &[
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
];

/// Sends what is left when it is dropped.
pub(crate) struct Telemetry(SdkTracerProvider);

impl Drop for Telemetry {
    fn drop(&mut self) {
        // A collector that has gone must not keep the server from ending.
        let _ = self.0.shutdown();
    }
}

/// What takes spans, and what sends the last of them.
type Sending<S> = (OpenTelemetryLayer<S, SdkTracer>, Telemetry);

/// A layer that sends spans, if the environment names a collector.
pub(crate) fn layer<S>() -> Result<Option<Sending<S>>, String>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    if WANTED.iter().all(|name| std::env::var_os(name).is_none()) {
        return Ok(None);
    }
    let exporter = SpanExporter::builder()
        .with_http()
        .build()
        .map_err(|error| error.to_string())?;
    let mut resource = Resource::builder();
    if std::env::var_os("OTEL_SERVICE_NAME").is_none() {
        resource = resource.with_service_name("codepod");
    }
    let provider = SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_resource(resource.build())
        .build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("codepod"));
    Ok(Some((layer, Telemetry(provider))))
}
