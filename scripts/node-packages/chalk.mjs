import { Chalk, chalkStderr, supportsColor } from 'chalk';
const chalk = new Chalk({ level: 3 });
console.log(JSON.stringify([chalk.red('r'), chalk.bold.underline('b'), chalk.hex('#ff8800')('h')]));
console.log(
  JSON.stringify(chalk.bgBlue.white(`a${chalk.yellow('in')}z`)),
  JSON.stringify(chalk.red('two\nlines')),
);
console.log(
  JSON.stringify(new Chalk({ level: 1 }).rgb(10, 200, 30)('16')),
  new Chalk({ level: 0 }).green('plain'),
);
const warn = chalk.bold.hex('#FFA500');
console.log(JSON.stringify(warn('warn', 1)), supportsColor, typeof chalkStderr);
