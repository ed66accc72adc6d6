//! The tools: the lines of the table that are some, and what a call of one becomes.

use std::sync::LazyLock;
use std::time::Duration;

use codepod_api::{
    ApiError, Effect, Kind, METHODS, MethodInfo, Shows, TOOL_SANDBOX, camel_case, params_of_tool,
    tool_result_schema, tool_schema,
};
use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::{Map, Value};

use super::result;

/// A tool and its method.
pub(super) struct Entry {
    pub(super) method: &'static MethodInfo,
    pub(super) shows: Shows,
    pub(super) tool: Tool,
}

/// Every tool, in the order of the table, but for those whose part is not installed: a model should
/// not read of what it cannot have. Nothing here depends on a sandbox.
pub(super) static TOOLS: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let entry = |method: &'static MethodInfo| {
        let about = method.tool?;
        if about.needs.is_some_and(|command| !is_installed(command)) {
            return None;
        }
        let tool = Tool::new(about.name, about.description, object(tool_schema(method)))
            .with_annotations(annotations(about.effect));
        let shows = about.shows;
        Some(Entry {
            method,
            shows,
            tool,
        })
    };
    METHODS.iter().filter_map(entry).collect()
});

/// Whether sandboxes have a command.
fn is_installed(command: &str) -> bool {
    let mut commands = codepod::commands().into_iter();
    commands.any(|(name, _)| name == command)
}

/// A call of a method that a call of a tool stands for.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) sandbox: Option<String>,
    pub(super) params: Map<String, Value>,
}

/// The tool of a name.
pub(super) fn find(name: &str) -> Option<&'static Entry> {
    TOOLS.iter().find(|entry| entry.tool.name == name)
}

/// The largest picture that a model is shown.
const LARGEST_PICTURE: u64 = 4 << 20;

/// Whether a file is a picture of which only a part was read, because the model did not say how
/// much it wants.
pub(super) fn is_part_of_picture(params: &Map<String, Value>, output: &Value) -> bool {
    let usual = Shows::File.bounds().map(|bounds| bounds.usual);
    let size = output["size"].as_u64();
    output["mime"].is_string()
        && params.get("length").and_then(Value::as_u64) == usual
        && size.is_some_and(|size| Some(size) > usual && size <= LARGEST_PICTURE)
}

/// Parameters that ask for all of a picture.
pub(super) fn whole_picture(params: &Map<String, Value>) -> Map<String, Value> {
    let mut params = params.clone();
    params.insert("length".into(), LARGEST_PICTURE.into());
    params
}

impl Entry {
    /// The tool with the schema of its result, for clients that are programs.
    pub(super) fn structured(&self) -> Tool {
        let mut output = object(tool_result_schema(self.method));
        result::add_to_schema(self.shows, &mut output);
        let tool = self.tool.clone();
        tool.with_raw_output_schema(output.into())
            .with_meta(meta(self.method))
    }

    /// The call of the method, with budgets where the model gave none.
    pub(super) fn prepare(
        &self,
        mut input: JsonObject,
        longest_run: Duration,
    ) -> Result<Prepared, ApiError> {
        let bad = |message: String| ApiError::new(Kind::InvalidParams, message);
        let properties = self.tool.input_schema.get("properties");
        let properties = properties.and_then(Value::as_object);
        let known = |name: &str| properties.is_some_and(|list| list.contains_key(name));
        if let Some(name) = input.keys().find(|name| !known(name)) {
            let name: String = name.chars().take(64).collect();
            let names: Vec<&str> = properties
                .into_iter()
                .flat_map(|list| list.keys())
                .map(String::as_str)
                .collect();
            let hint = format!("it takes `{}`", names.join("`, `"));
            return Err(bad(format!("`{}` takes no `{name}`", self.tool.name)).hint(hint));
        }
        // Models write null for what they do not want to say.
        input.retain(|_, value| !value.is_null());
        let sandbox = match input.remove(TOOL_SANDBOX) {
            None => None,
            Some(Value::String(id)) => Some(id),
            Some(_) => return Err(bad(format!("`{TOOL_SANDBOX}` must be a string"))),
        };
        let mut params = params_of_tool(input);
        let at_most = |params: &mut Map<String, Value>, name: &str, most: u64| {
            if let Some(value) = params.get_mut(name)
                && value.as_u64().is_some_and(|value| value > most)
            {
                *value = most.into();
            }
        };
        if let Some(bounds) = self.shows.bounds() {
            at_most(&mut params, &camel_case(bounds.name), bounds.most);
        }
        match self.shows {
            Shows::Run => {
                let longest = u64::try_from(longest_run.as_millis()).unwrap_or(u64::MAX);
                if params.get("timeoutMs").and_then(Value::as_u64) == Some(0) {
                    // As long as there is.
                    params.insert("timeoutMs".to_owned(), longest.into());
                }
                at_most(&mut params, "timeoutMs", longest);
            }
            // Of runs the sandbox has a budget.
            shows => {
                if let Some(bounds) = shows.bounds() {
                    let entry = params.entry(camel_case(bounds.name));
                    entry.or_insert(bounds.usual.into());
                }
            }
        }
        Ok(Prepared { sandbox, params })
    }
}

/// What clients may think of a tool before they ask whether to call it.
fn annotations(effect: Effect) -> ToolAnnotations {
    ToolAnnotations::new()
        .read_only(effect == Effect::Reads)
        .destructive(matches!(effect, Effect::Replaces | Effect::Changes))
        .idempotent(matches!(effect, Effect::Reads | Effect::Replaces))
        .open_world(false)
}

/// For programs that know the table: which of its methods a tool is.
fn meta(method: &MethodInfo) -> MetaObject {
    let mut meta = MetaObject::default();
    meta.0.insert("codepod/method".into(), method.name.into());
    meta
}

fn object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn prepare(tool: &str, input: Value) -> Result<Prepared, ApiError> {
        let tool = find(tool).unwrap();
        tool.prepare(object(input), Duration::from_secs(60))
    }

    #[test]
    fn the_tools_are_those_of_the_table() {
        let mut names: Vec<&str> = TOOLS.iter().map(|entry| &*entry.tool.name).collect();
        names.sort_unstable();
        // The part `js` is not everywhere.
        let has_node = is_installed("node");
        assert_eq!(names.contains(&"javascript"), has_node);
        names.retain(|name| *name != "javascript");
        let all = "changes edit fork glob grep kill list output python read restore run snapshot \
                   start stdin undo write";
        assert_eq!(names.join(" "), all);
        for entry in TOOLS.iter() {
            let hints = entry.tool.annotations.as_ref().unwrap();
            assert_eq!(hints.open_world_hint, Some(false));
            let names = ["read", "list", "changes", "grep", "glob", "output"];
            let reads = names.contains(&&*entry.tool.name);
            assert_eq!(hints.read_only_hint, Some(reads), "{}", entry.tool.name);
            assert!(!(reads && hints.destructive_hint.unwrap()));
        }
    }

    #[test]
    fn only_what_the_schema_names_is_taken() {
        for name in [
            "stream",
            "run_id",
            "timeoutMs",
            "idempotency_key",
            "sandboxId",
            "x\u{1b}",
        ] {
            let error = prepare("run", json!({"command": "true", name: 1})).unwrap_err();
            assert_eq!(error.kind(), Kind::InvalidParams, "{name}");
            assert!(error.data.hint.contains("`timeout_ms`"));
        }
        assert!(prepare("run", json!({"command": "true", "sandbox_id": 1})).is_err());
    }

    #[test]
    fn budgets_hold_whatever_is_asked_for() {
        let asked = json!({"command": "x", "timeout_ms": 1e12 as u64, "output_budget": 1u64 << 40});
        let prepared = prepare("run", asked).unwrap();
        assert_eq!(prepared.params["timeoutMs"], 60_000);
        assert_eq!(prepared.params["outputBudget"], 1 << 20);
        let prepared = prepare("read", json!({"path": "x", "sandbox_id": "sb_1"})).unwrap();
        assert_eq!(prepared.params["length"], 32 << 10);
        assert_eq!(prepared.sandbox.as_deref(), Some("sb_1"));
        let less = prepare("read", json!({"path": "x", "length": 3, "offset": null})).unwrap();
        assert_eq!(
            Value::Object(less.params),
            json!({"path": "x", "length": 3})
        );
    }
}
