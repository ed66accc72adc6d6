const dayjs = require('dayjs');
for (const p of ['utc', 'relativeTime', 'duration', 'customParseFormat', 'isoWeek'])
  dayjs.extend(require(`dayjs/plugin/${p}`));
const d = dayjs.utc('2024-02-29T23:59:58Z');
console.log(
  d.format('dddd, MMMM D, YYYY h:mm A [Z]'),
  d.add(1, 'year').format(),
  d.subtract(2, 'hour').toISOString(),
  d.endOf('month').valueOf(),
);
console.log(
  d.from(dayjs.utc('2024-03-05')),
  dayjs.duration(3661, 's').format('HH:mm:ss'),
  dayjs.duration({ hours: 26 }).humanize(),
  d.isoWeek(),
);
console.log(
  dayjs('12-25-1995', 'MM-DD-YYYY').format('YYYY/MM/DD'),
  dayjs('nope').isValid(),
  d.diff('2024-01-01', 'day'),
  d.isBefore('2025-01-01'),
  require('dayjs/locale/de').months[2],
);
