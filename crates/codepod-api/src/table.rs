//! The table: every method, once. A line here without a handler in `codepod-server` does not
//! compile.

use crate::method::MethodInfo;

/// Hands every method's type to a macro of the caller's choice.
#[macro_export]
macro_rules! for_each_method {
    ($with:ident) => {
        $with! {
            server::ServerInfo,
            sandbox::SandboxCreate,
            sandbox::SandboxList,
            sandbox::SandboxGet,
            sandbox::SandboxFork,
            sandbox::SandboxDestroy,
            sandbox::SandboxAdopt,
            sandbox::SandboxMerge,
            sandbox::SandboxKill,
            sandbox::SandboxStats,
            run::Run,
            run::RunStart,
            run::RunOutputSince,
            run::RunStdin,
            run::RunCancel,
            python::PythonRun,
            python::PythonReset,
            javascript::JsRun,
            javascript::JsReset,
            files::FilesRead,
            files::FilesWrite,
            files::FilesEdit,
            files::FilesGrep,
            files::FilesGlob,
            files::FilesList,
            files::FilesStat,
            files::FilesMkdir,
            files::FilesRemove,
            files::FilesRename,
            files::FilesChmod,
            files::FilesRestore,
            env::EnvGet,
            env::EnvSet,
            shell::ShellCreate,
            shell::ShellList,
            shell::ShellClose,
            shell::HistoryList,
            shell::HistoryClear,
            shell::ShellComplete,
            snapshot::SnapshotCreate,
            snapshot::SnapshotRestore,
            snapshot::SnapshotList,
            snapshot::SnapshotRemove,
            timeline::Undo,
            timeline::Redo,
            timeline::Changes,
            preview::PreviewRun,
            preview::PreviewCommit,
            preview::PreviewDrop,
            mounts::MountsList,
            mounts::MountsChanges,
            mounts::MountsApply,
            mounts::MountsDiscard,
            network::NetworkCheck,
            network::NetworkSet,
            network::NetworkLog,
            jobs::JobsList,
            jobs::JobsSignal,
            persistence::PersistenceSave,
            persistence::PersistenceLoad,
            persistence::PersistenceExport,
            persistence::PersistenceImport,
            persistence::PersistenceHash,
            states::StatesList,
            states::StatesRemove,
            commands::CommandsList,
            commands::CommandsRegister,
        }
    };
}

macro_rules! infos {
    ($($group:ident::$type:ident,)+) => {
        /// Every method as data, in the order of the reference.
        pub const METHODS: &[MethodInfo] = &[$(MethodInfo::of::<crate::methods::$group::$type>()),+];
    };
}
for_each_method!(infos);

/// The method of a name.
pub fn find(name: &str) -> Option<&'static MethodInfo> {
    METHODS.iter().find(|method| method.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::METHODS;
    use crate::{Scope, Surface};

    #[test]
    fn names_and_routes_are_each_there_once() {
        let names: BTreeSet<_> = METHODS.iter().map(|method| method.name).collect();
        assert_eq!(names.len(), METHODS.len());
        let routes: BTreeSet<_> = METHODS
            .iter()
            .map(|method| (method.route.verb.name(), method.route.path))
            .collect();
        assert_eq!(routes.len(), METHODS.len());
    }

    #[test]
    fn routes_name_the_sandbox_where_the_method_needs_one() {
        for method in METHODS {
            let names = method.route.path.contains("{sandbox}");
            assert_eq!(names, method.scope == Scope::Sandbox, "{}", method.name);
            assert!(method.route.path.starts_with("/v1/"), "{}", method.name);
        }
    }

    #[test]
    fn a_method_is_a_tool_or_says_why_not() {
        for method in METHODS {
            let why = method.reason_not_on(Surface::Mcp);
            assert!(method.tool.is_some() != why.is_some(), "{}", method.name);
            assert!(!method.doc.trim().is_empty());
        }
    }

    #[test]
    fn every_field_is_documented() {
        for (name, schema) in crate::definitions() {
            let fields = schema
                .get("properties")
                .and_then(|fields| fields.as_object());
            for (field, schema) in fields.into_iter().flatten() {
                let text = schema.get("description").and_then(|text| text.as_str());
                assert!(text.is_some_and(|text| !text.is_empty()), "{name}.{field}");
            }
        }
    }

    #[test]
    fn no_two_types_share_a_name() {
        // schemars numbers the second one.
        for name in crate::definitions().keys() {
            assert!(!name.ends_with(|end: char| end.is_ascii_digit()), "{name}");
        }
    }
}
