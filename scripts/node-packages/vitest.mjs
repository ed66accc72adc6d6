import { startTests, describe, it, beforeEach } from '@vitest/runner';
import { JestChaiExpect, JestAsymmetricMatchers, JestExtend } from '@vitest/expect';
import * as chai from 'chai';
[JestExtend, JestChaiExpect, JestAsymmetricMatchers].forEach((plugin) => chai.use(plugin));
const { expect } = chai;
class Runner {
  config = {
    root: process.cwd(),
    setupFiles: [],
    sequence: { seed: 1, hooks: 'stack', shuffle: false, setupFiles: 'list' },
    hookTimeout: 100,
    testTimeout: 9000,
    passWithNoTests: false,
    retry: 0,
    allowOnly: true,
    maxConcurrency: 5,
    includeTaskLocation: false,
    tags: [],
    tagsFilter: undefined,
    strictTags: false,
  };
  async importFile() {
    describe('math', () => {
      let n;
      beforeEach(() => {
        n = 1;
      });
      it('adds', () => {
        expect(n + 1).toBe(2);
        expect({ a: [n] }).toEqual({ a: [expect.any(Number)] });
      });
      it.each([
        [1, 2],
        [2, 5],
      ])('%i doubles to %i', (a, b) => expect(a * 2).toBe(b));
      it('hangs', () => new Promise(() => {}), 50);
      it.skip('left out', () => {});
      it.todo('later');
      it.concurrent('rejects', async () => {
        await expect(Promise.reject(new Error('r'))).rejects.toThrow('r');
      });
      it('differs', () => expect({ a: 1 }).toStrictEqual({ a: 2 }));
    });
  }
  onAfterRunTask(test) {
    console.log(
      test.mode,
      test.result?.state,
      test.name,
      test.result?.errors?.map((e) => e.message.split('\n')[0]) ?? '',
    );
  }
}
// The runner's own timers do not keep a process alive.
const keep = setInterval(() => {}, 1000);
const files = await startTests(['./some.test.js'], new Runner());
clearInterval(keep);
const show = (task, depth = 0) => {
  console.log(
    ' '.repeat(depth) + task.type,
    task.name.replace(/.*\//, ''),
    task.result?.state ?? task.mode,
  );
  task.tasks?.forEach((t) => show(t, depth + 1));
};
files.forEach((f) => show(f));
