import {
  format,
  addMonths,
  differenceInCalendarDays,
  parseISO,
  startOfWeek,
  eachDayOfInterval,
  formatDistance,
  isValid,
  parse,
  formatDuration,
  intervalToDuration,
  getISOWeek,
} from 'date-fns';
import { de } from 'date-fns/locale';
const d = new Date(2024, 0, 31, 15, 4, 5);
console.log(
  format(d, "yyyy-MM-dd'T'HH:mm:ss EEEE do MMM QQQ"),
  format(addMonths(d, 1), 'PPpp'),
  format(d, 'EEEE, d. MMMM', { locale: de }),
);
console.log(
  differenceInCalendarDays(parseISO('2024-03-01'), d),
  format(startOfWeek(d, { weekStartsOn: 1 }), 'P'),
  getISOWeek(d),
);
console.log(
  eachDayOfInterval({ start: d, end: new Date(2024, 1, 2) }).map((x) => format(x, 'dd')),
  formatDistance(d, new Date(2024, 1, 2), { addSuffix: true }),
);
console.log(
  isValid(parse('31.02.2024', 'dd.MM.yyyy', d)),
  format(parse('5/6/24', 'M/d/yy', d), 'yyyy-MM-dd'),
  formatDuration(intervalToDuration({ start: 0, end: 93784000 })),
);
