//! What a line of the table says.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A method: the types carry its documentation to every surface.
pub trait Method {
    /// Its name in JSON-RPC; in SDKs the part before the dot is a property (`sandbox.files.read`).
    const NAME: &'static str;
    /// Where it is in HTTP.
    const ROUTE: Route;
    /// What it is for, for people.
    const DOC: &'static str;
    /// What it acts on.
    const SCOPE: Scope;
    /// What a call of it does while it is answered.
    const WORK: Work;
    /// Its tool for models, if it is one.
    const TOOL: Option<Tool>;
    /// The surfaces that do not have it, each with the reason.
    const NOT_ON: &'static [(Surface, &'static str)];
    /// What it takes, beside the sandbox.
    type Params: Serialize + DeserializeOwned + JsonSchema;
    /// What it gives back.
    type Output: Serialize + DeserializeOwned + JsonSchema;
}

/// What a method acts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The server: no sandbox is named.
    Server,
    /// One sandbox, by `sandboxId`.
    Sandbox,
}

/// What a call does while it is answered. Surfaces go by this, and none by a method's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// It is answered at once.
    Quick,
    /// It runs something in the sandbox, which may take long: `runId` names it, `timeoutMs` and
    /// `outputBudget` limit it.
    Runs,
    /// As [`Work::Runs`]; with `stream` its output comes while it runs.
    Streams,
    /// It gives a run more input or takes output of it, and waits until that is done.
    Feeds,
    /// It cancels a run, and never waits.
    Cancels,
    /// The state that it returns can come as a stream of bytes over HTTP.
    Exports,
    /// The state that it takes can come as a stream of bytes over HTTP.
    Imports,
    /// The file that it reads can come as its bytes over HTTP.
    ReadsBytes,
    /// The file that it writes can come as its bytes over HTTP.
    WritesBytes,
}

impl Work {
    /// Whether something runs in the sandbox until it is answered.
    pub fn is_run(self) -> bool {
        matches!(self, Work::Runs | Work::Streams)
    }

    /// Its word in the files that are generated for SDKs.
    pub fn name(self) -> &'static str {
        match self {
            Work::Quick => "quick",
            Work::Runs => "runs",
            Work::Streams => "streams",
            Work::Feeds => "feeds",
            Work::Cancels => "cancels",
            Work::Exports => "exports",
            Work::Imports => "imports",
            Work::ReadsBytes | Work::WritesBytes => "quick",
        }
    }
}

/// Verb of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Changes nothing; parameters are in the query.
    Get,
    /// Does something; parameters are a JSON object.
    Post,
    /// Puts something in a place.
    Put,
    /// Takes something away; parameters are in the query.
    Delete,
}

impl Verb {
    /// As HTTP writes it.
    pub fn name(self) -> &'static str {
        match self {
            Verb::Get => "GET",
            Verb::Post => "POST",
            Verb::Put => "PUT",
            Verb::Delete => "DELETE",
        }
    }

    /// Whether parameters are in the query instead of a body.
    pub fn takes_query(self) -> bool {
        matches!(self, Verb::Get | Verb::Delete)
    }
}

/// Where a method is in HTTP. `{sandbox}` in the path stands for the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// Verb.
    pub verb: Verb,
    /// Path.
    pub path: &'static str,
}

/// A method as a model sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tool {
    /// The tool's name.
    pub name: &'static str,
    /// What a model should know: what it does, what it costs, what comes back.
    pub description: &'static str,
    /// What it does to the sandbox.
    pub effect: Effect,
    /// How its result is shown to a model.
    pub shows: Shows,
    /// A command without which it does nothing, where that is in a part of its own.
    pub needs: Option<&'static str>,
}

/// What a tool does to the sandbox, for clients that ask before they call it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Reads,
    /// It adds something, and something else each time.
    Adds,
    /// It replaces something; called twice, it has done so once.
    Replaces,
    /// Something may be gone afterwards, and calling it twice is not calling it once.
    Changes,
}

/// How a tool's result is shown to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shows {
    /// Its fields, one after the other.
    Fields,
    /// What a run printed, and how it ended.
    Run,
    /// What a file holds.
    File,
    /// The entries of a directory.
    Entries,
    /// Changed paths, and how texts differ.
    Changes,
    /// The steps that were undone.
    Undone,
    /// How often something was replaced, and how the text differs.
    Diff,
    /// Lines of files.
    Matches,
    /// Paths.
    Paths,
    /// What a background run printed, and whether it goes on.
    Since,
}

impl Shows {
    /// The fields of the result that SDKs hand to a model: those that are always told, and those
    /// that are told where they say something. All of them if this is `None`.
    pub fn fields(self) -> Option<[&'static [&'static str]; 2]> {
        let always: &[_] = &["exit_code", "stdout", "stderr", "execution_time_ms"];
        let notes: &[_] = &[
            "stdout_cut",
            "stderr_cut",
            "truncated",
            "timed_out",
            "cancelled",
            "crashed",
        ];
        match self {
            Shows::Run => Some([always, notes]),
            _ => None,
        }
    }
}

/// Bounds of a parameter that says how much a model gets back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The parameter, in snake_case.
    pub name: &'static str,
    /// What it is where the model does not say: some thousand words.
    pub usual: u64,
    /// The most that a model can ask for.
    pub most: u64,
}

impl Shows {
    /// Bytes of a list or a difference that a model gets back; more is left out, and counted.
    pub const LIST: u64 = 64 << 10;

    /// How much of a result a model gets back.
    pub fn bounds(self) -> Option<Bounds> {
        let bounds = |name, usual| Bounds {
            name,
            usual,
            most: 1 << 20,
        };
        match self {
            Shows::Run => Some(bounds("output_budget", 16 << 10)),
            Shows::File => Some(bounds("length", 32 << 10)),
            Shows::Since => Some(bounds("length", 16 << 10)),
            _ => None,
        }
    }
}

/// A place where people meet codepod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Surface {
    /// `codepod rpc`.
    Rpc,
    /// `codepod serve`.
    Http,
    /// `codepod mcp`.
    Mcp,
    /// The command itself.
    Cli,
    /// The Python package.
    Python,
    /// The TypeScript package.
    TypeScript,
}

impl Surface {
    /// Every surface, in the order of the parity table.
    pub const ALL: &'static [Surface] = &[
        Surface::Rpc,
        Surface::Http,
        Surface::Mcp,
        Surface::Cli,
        Surface::Python,
        Surface::TypeScript,
    ];

    /// Its heading.
    pub fn name(self) -> &'static str {
        match self {
            Surface::Rpc => "JSON-RPC",
            Surface::Http => "HTTP",
            Surface::Mcp => "MCP",
            Surface::Cli => "CLI",
            Surface::Python => "Python",
            Surface::TypeScript => "TypeScript",
        }
    }
}

/// A method as data.
#[derive(Debug, Clone, Copy)]
pub struct MethodInfo {
    /// See [`Method::NAME`].
    pub name: &'static str,
    /// See [`Method::ROUTE`].
    pub route: Route,
    /// See [`Method::DOC`].
    pub doc: &'static str,
    /// See [`Method::SCOPE`].
    pub scope: Scope,
    /// See [`Method::WORK`].
    pub work: Work,
    /// See [`Method::TOOL`].
    pub tool: Option<Tool>,
    /// See [`Method::NOT_ON`].
    pub not_on: &'static [(Surface, &'static str)],
    /// Makes the schema of its parameters.
    pub params: fn(&mut SchemaGenerator) -> Schema,
    /// Makes the schema of its result.
    pub output: fn(&mut SchemaGenerator) -> Schema,
    /// Name of the type of its parameters.
    pub params_name: fn() -> String,
    /// Name of the type of its result.
    pub output_name: fn() -> String,
}

impl MethodInfo {
    /// A method as data.
    pub const fn of<M: Method>() -> MethodInfo {
        MethodInfo {
            name: M::NAME,
            route: M::ROUTE,
            doc: M::DOC,
            scope: M::SCOPE,
            work: M::WORK,
            tool: M::TOOL,
            not_on: M::NOT_ON,
            params: |generator| generator.subschema_for::<M::Params>(),
            output: |generator| generator.subschema_for::<M::Output>(),
            params_name: || M::Params::schema_name().into_owned(),
            output_name: || M::Output::schema_name().into_owned(),
        }
    }

    /// Why a surface does not have it, if it does not.
    pub fn reason_not_on(&self, surface: Surface) -> Option<&'static str> {
        let found = self.not_on.iter().find(|(other, _)| *other == surface);
        found.map(|(_, why)| *why)
    }

    /// The part of its name before the last dot: what it belongs to in an SDK.
    pub fn namespace(&self) -> Option<&'static str> {
        self.name.rsplit_once('.').map(|(namespace, _)| namespace)
    }

    /// The part of its name after the last dot.
    pub fn verb(&self) -> &'static str {
        self.name
            .rsplit_once('.')
            .map_or(self.name, |(_, verb)| verb)
    }
}

/// Writes down methods: documentation, name, route, types, and what is special about them.
///
/// ```text
/// method! {
///     /// What it is for.
///     Type = "name", sandbox post "/v1/…", Params => Output,
///     work Streams,
///     tool "name" Changes Run needs "command" "description",
///     not_on [Mcp: "why"];
/// }
/// ```
macro_rules! method {
    ($(
        $(#[doc = $doc:literal])+
        $type:ident = $name:literal, $scope:ident $verb:ident $path:literal, $params:ty => $output:ty
        $(, work $work:ident)?
        $(, tool $tool:literal $effect:ident $shows:ident $(needs $needs:literal)? $description:literal)?
        $(, not_on [$($surface:ident: $why:expr),+ $(,)?])?
        ;
    )+) => {$(
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy)]
        pub struct $type;

        impl $crate::Method for $type {
            const NAME: &'static str = $name;
            const ROUTE: $crate::Route = $crate::Route {
                verb: $crate::method::verb::$verb,
                path: $path,
            };
            const DOC: &'static str = concat!($($doc, "\n"),+);
            const SCOPE: $crate::Scope = $crate::method::scope::$scope;
            const WORK: $crate::Work =
                match $crate::method::first(&[$($crate::Work::$work)?]) {
                    Some(work) => work,
                    None => $crate::Work::Quick,
                };
            const TOOL: Option<$crate::Tool> = $crate::method::first(&[$($crate::Tool {
                name: $tool,
                description: $description,
                effect: $crate::Effect::$effect,
                shows: $crate::Shows::$shows,
                needs: $crate::method::first(&[$($needs)?]),
            })?]);
            const NOT_ON: &'static [($crate::Surface, &'static str)] =
                &[$($(($crate::Surface::$surface, $why)),+)?];
            type Params = $params;
            type Output = $output;
        }
    )+};
}
pub(crate) use method;

/// What the macro found, if it is there.
pub(crate) const fn first<T: Copy>(found: &[T]) -> Option<T> {
    match found {
        [first, ..] => Some(*first),
        [] => None,
    }
}

/// Verbs as the macro writes them.
#[expect(non_upper_case_globals, reason = "words of the macro")]
pub(crate) mod verb {
    use super::Verb;
    pub(crate) const get: Verb = Verb::Get;
    pub(crate) const post: Verb = Verb::Post;
    pub(crate) const put: Verb = Verb::Put;
    pub(crate) const delete: Verb = Verb::Delete;
}

/// Scopes as the macro writes them.
#[expect(non_upper_case_globals, reason = "words of the macro")]
pub(crate) mod scope {
    use super::Scope;
    pub(crate) const server: Scope = Scope::Server;
    pub(crate) const sandbox: Scope = Scope::Sandbox;
}
