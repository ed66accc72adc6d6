import {
  of,
  from,
  interval,
  Subject,
  BehaviorSubject,
  merge,
  combineLatest,
  throwError,
  timer,
  firstValueFrom,
  lastValueFrom,
  defer,
} from 'rxjs';
import {
  map,
  filter,
  take,
  mergeMap,
  concatMap,
  switchMap,
  debounceTime,
  scan,
  toArray,
  catchError,
  retry,
  bufferCount,
  takeUntil,
  share,
  delay,
  withLatestFrom,
} from 'rxjs/operators';
const list = (o) => lastValueFrom(o.pipe(toArray()));
console.log(
  await list(
    from([1, 2, 3, 4]).pipe(
      filter((x) => x % 2 === 0),
      map((x) => x * 10),
    ),
  ),
  await list(
    interval(1).pipe(
      take(4),
      scan((a, b) => a + b),
      bufferCount(2),
    ),
  ),
  await list(of(400, 10).pipe(mergeMap((ms) => of(ms).pipe(delay(ms))))),
  await list(of(30, 10).pipe(concatMap((ms) => of(ms).pipe(delay(ms))))),
  await list(of(1, 2).pipe(switchMap((x) => timer(5).pipe(map(() => x))))),
);
let tries = 0;
console.log(
  await firstValueFrom(
    defer(() => (++tries < 3 ? throwError(() => new Error('no')) : of(`try ${tries}`))).pipe(
      retry(5),
    ),
  ),
  await list(throwError(() => new Error('e')).pipe(catchError((e) => of(e.message)))),
);
const s = new Subject(),
  b = new BehaviorSubject('start'),
  log = [],
  shared = s.pipe(
    map((x) => (log.push(`map ${x}`), x)),
    share(),
  );
shared.subscribe((x) => log.push(`1 ${x}`));
const sub = shared.pipe(withLatestFrom(b)).subscribe((x) => log.push(x));
s.next('a');
b.next('later');
s.next('b');
sub.unsubscribe();
s.next('c');
s.complete();
console.log(log);
const typed = new Subject(),
  typing = list(typed.pipe(debounceTime(15)));
typed.next('h');
typed.next('he');
setTimeout(() => {
  typed.next('hel');
  typed.complete();
}, 40);
console.log(
  await typing,
  await list(merge(of('m'), combineLatest([of(1, 2), of(3)])).pipe(takeUntil(timer(50)))),
);
try {
  await firstValueFrom(of());
} catch (e) {
  console.log(e.name, e.message);
}
