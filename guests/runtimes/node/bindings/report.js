// `process.report`: what `getReport()` gives, as far as a sandbox has it. Nothing is written by
// itself: `writeReport` and the switches for it refuse (shapes.js).
'use strict';

const REPORT_VERSION = 5, WORD_SIZE = 32;

host.define('report', (report) => {
  const settings = { Compact: false, ExcludeNetwork: false, ExcludeEnv: false, Directory: '', Filename: '', Signal: 'SIGUSR2' };
  for (const name of Object.keys(settings)) {
    report[`get${name}`] = () => settings[name];
    report[`set${name}`] = (value) => { settings[name] = value; };
  }
  for (const name of ['FatalError', 'Signal', 'UncaughtException']) report[`shouldReportOn${name}`] = () => false;
  report.setReportOnUncaughtException = () => {}; // Node's own preparation calls it

  function header() {
    const { process } = host;
    const [osName, osVersion, osRelease, osMachine] = host.binding('os').getOSInformation();
    const now = new Date();
    return {
      reportVersion: REPORT_VERSION, event: 'JavaScript API', trigger: 'GetReport', filename: null,
      dumpEventTime: now.toISOString().replace(/\.\d+/, ''), dumpEventTimeStamp: String(now.getTime()),
      processId: process.pid, threadId: null, cwd: process.cwd(), commandLine: [process.argv0, ...process.execArgv, ...process.argv.slice(1)],
      nodejsVersion: process.version, wordSize: WORD_SIZE, arch: process.arch, platform: process.platform,
      componentVersions: { ...process.versions }, release: { ...process.release },
      osName, osRelease, osVersion, osMachine, cpus: [], ...settings.ExcludeNetwork ? {} : { networkInterfaces: [] },
      host: host.binding('os').getHostname(),
    };
  }

  report.getReport = (error) => {
    const [message, ...stack] = String(error?.stack ?? error).split('\n');
    return JSON.stringify({
      header: header(),
      javascriptStack: { message, stack: stack.map((line) => line.trim()), errorProperties: {} },
      ...settings.ExcludeEnv ? {} : { environmentVariables: { ...host.process.env } },
      // No library is loaded: what looks for a C library finds none.
      sharedObjects: [],
    });
  };
});
