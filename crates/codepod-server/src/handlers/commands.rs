//! Commands of a sandbox, and those that its client answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use codepod::HostCommand;
use codepod_api::methods::commands::{
    CommandsList, CommandsOutput, CommandsRegister, RegisterParams,
};
use codepod_api::methods::{Done, Empty};
use codepod_api::notifications::{CommandCall, CommandReply};
use codepod_api::{ApiError, Bytes, Kind};

use crate::call::{Answers, Call};
use crate::convert::text;
use crate::dispatch::Handle;
use crate::failure::failure;
use crate::server::WeakServer;

impl Handle for CommandsList {
    fn handle(call: &Call<'_>, Empty {}: Empty) -> Result<CommandsOutput, ApiError> {
        let entries = call.live()?.sandbox.list_dir("/usr/bin").map_err(failure)?;
        Ok(CommandsOutput {
            commands: entries.iter().map(|entry| text(&entry.name)).collect(),
        })
    }
}

impl Handle for CommandsRegister {
    fn handle(call: &Call<'_>, params: RegisterParams) -> Result<Done, ApiError> {
        let live = call.live()?;
        let answers = call.client.answers().ok_or_else(|| {
            ApiError::new(
                Kind::Unsupported,
                "nobody could answer the command on this connection",
            )
        })?;
        let (server, own) = (
            call.server.weak(),
            (live.sandbox.id(), Arc::from(&*live.info.sandbox_id)),
        );
        let mut command = HostCommand::new(params.name, move |call| {
            let caller = caller(&server, &own, &call);
            answer(answers.clone(), caller, call)
        });
        for alias in params.aliases.unwrap_or_default() {
            command = command.alias(alias);
        }
        if let Some(description) = params.description {
            command = command.description(description);
        }
        if let Some(usage) = params.usage {
            command = command.usage(usage);
        }
        live.sandbox.register(command).map_err(failure)?;
        Ok(Done::OK)
    }
}

/// The id of the sandbox that calls: forks have the commands of the sandbox that they come from.
fn caller(server: &WeakServer, (number, id): &(u64, Arc<str>), call: &codepod::Call) -> Arc<str> {
    let calls = call.sandbox().map_or(*number, |sandbox| sandbox.id());
    if calls == *number {
        return id.clone();
    }
    let found = server.upgrade().and_then(|server| server.id_of(calls));
    found.map_or_else(|| id.clone(), Arc::from)
}

/// One call of a client's command, from its arguments to its status.
async fn answer(answers: Arc<dyn Answers>, sandbox_id: Arc<str>, mut call: codepod::Call) -> u8 {
    let asked = match request(&sandbox_id, &mut call).await {
        Ok(asked) => asked,
        Err(why) => return complain(&mut call, &why).await,
    };
    let reply = match answers.call(asked).await {
        Ok(reply) => reply,
        Err(why) => return complain(&mut call, &why).await,
    };
    let CommandReply {
        exit_code,
        stdout,
        stdout_base64,
        stderr,
    } = reply;
    let Ok(out) = Bytes::take(stdout, stdout_base64) else {
        return complain(&mut call, "the host answered something that cannot be read").await;
    };
    // Nobody may read any more; the status counts all the same.
    let _ = call
        .write_error(stderr.unwrap_or_default().as_bytes())
        .await;
    let _ = call.write(&out.unwrap_or_default()).await;
    u8::try_from(exit_code).unwrap_or(1)
}

async fn request(sandbox_id: &str, call: &mut codepod::Call) -> Result<CommandCall, String> {
    let stdin = call
        .read_all()
        .await
        .map_err(|errno| format!("standard input: {errno}"))?;
    let Bytes {
        text: stdin,
        base64: stdin_base64,
    } = Bytes::new(stdin);
    let env: BTreeMap<String, String> = call
        .variables()
        .map(|(name, value)| (text(name), text(value)))
        .collect();
    Ok(CommandCall {
        sandbox_id: sandbox_id.to_owned(),
        name: call.name().to_owned(),
        arguments: call.args().iter().map(|word| text(word)).collect(),
        cwd: text(call.cwd()),
        env,
        stdin,
        stdin_base64,
    })
}

async fn complain(call: &mut codepod::Call, why: &str) -> u8 {
    let line = format!("{}: {why}\n", call.name());
    let _ = call.write_error(line.as_bytes()).await;
    1
}
