import yargs from 'yargs';
const cli = (args) =>
  yargs(args)
    .scriptName('tool')
    .exitProcess(false)
    .locale('en')
    .command(
      'serve [port]',
      'start',
      (y) => y.positional('port', { default: 5000, type: 'number' }),
      (a) => console.log('serving', a.port, a.v),
    )
    .option('v', { alias: 'verbose', type: 'count' })
    .option('size', { choices: ['s', 'm'] })
    .array('list')
    .wrap(80)
    .fail((message, error) => {
      throw error ?? new Error(message);
    });
await cli(['serve', '8080', '-vv']).parse();
console.log(
  cli(['--size=m', '--list', 'a', 'b', '--no-color', '--a.b', '1', 'x', '--', 'y']).parse(),
);
for (const args of [['--size', 'xl'], ['--nope']])
  try {
    cli(args).strict().parse();
  } catch (e) {
    console.log(e.message);
  }
console.log(await cli([]).getHelp());
