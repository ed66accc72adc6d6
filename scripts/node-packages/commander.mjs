import { Command, Option, InvalidArgumentError } from 'commander';
const program = new Command().name('tool').version('1.2.3').description('A tool').exitOverride();
program.configureOutput({ writeErr: (text) => console.log('err:', text.trim()) });
const number = (value) => {
  if (isNaN(value)) throw new InvalidArgumentError('Not a number.');
  return Number(value);
};
program
  .command('build')
  .argument('<dir>')
  .argument('[rest...]')
  .option('-w, --watch')
  .option('-p, --port <n>', 'port', number, 80)
  .addOption(new Option('--mode <m>').choices(['dev', 'prod']))
  .action((dir, rest, options) => console.log(dir, rest, options));
program.parse(['build', 'src', 'a', 'b', '-wp', '8080', '--mode=dev'], { from: 'user' });
for (const args of [['build'], ['build', 'x', '-p', 'q'], ['build', 'x', '--mode', 'z'], ['biuld']])
  try {
    program.parse(args, { from: 'user' });
  } catch (e) {
    console.log(e.code, e.exitCode);
  }
console.log(program.helpInformation(), program.commands[0].helpInformation());
