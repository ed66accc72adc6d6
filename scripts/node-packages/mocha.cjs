const Mocha = require('mocha');
const assert = require('assert');
const mocha = new Mocha({
  ui: 'bdd',
  timeout: 9000,
  reporter: class {
    constructor(runner) {
      for (const e of ['suite', 'pass', 'fail', 'pending', 'hook end', 'end'])
        runner.on(e, (x, error) =>
          console.log(
            e,
            x?.title ?? '',
            error ? `${error.name}: ${error.message.split('. For async')[0]}` : '',
          ),
        );
    }
  },
});
mocha.suite.emit('pre-require', globalThis, null, mocha);
describe('numbers', function () {
  let n = 0;
  before(async () => {
    n = 40;
  });
  beforeEach(() => {
    n++;
  });
  it('add', () => assert.strictEqual(n + 1, 42));
  it('wait', async () => {
    await new Promise((r) => setTimeout(r, 5));
  });
  it('call back', (done) => setTimeout(done, 1));
  it('fail', () => assert.deepStrictEqual({ a: 1 }, { a: 2 }));
  it('never ends', function (done) {
    this.timeout(50);
  });
  it('later');
  it.skip('left out', () => {});
  context('inner', () => {
    it('tries again', function () {
      this.retries(2);
      if (n++ % 3) throw new Error('not yet');
    });
    it('throws', () => {
      null.x;
    });
    after(() => {});
  });
});
mocha.run((failures) => console.log('failures', failures));
