const semver = require('semver');
console.log(
  ['1.10.0', '1.9.0', '1.10.0-rc.1', '2.0.0'].sort(semver.compare),
  semver.satisfies('1.2.3', '^1.2 || ~3.1.x'),
  semver.valid('v1.2'),
  semver.coerce('v1.2 beta').version,
);
console.log(
  semver.inc('1.2.3', 'minor'),
  semver.inc('1.2.3', 'prerelease', 'beta'),
  semver.diff('1.2.3', '1.3.0'),
  semver.parse('1.2.3-a.1+build').prerelease,
);
console.log(
  semver.maxSatisfying(['1.0.0', '1.4.2', '2.0.0'], '1'),
  semver.minVersion('>=1.2 <2').version,
  new semver.Range('^0.2.3 || 1.x').range,
  semver.intersects('>1', '<1.5'),
  semver.gtr('3.0.0', '^2'),
);
try {
  new semver.SemVer('one');
} catch (e) {
  console.log(e.name, e.message);
}
