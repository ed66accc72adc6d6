// JSON: 60,000 records read three times.

function f() {
  const o = [];
  for (let i = 0; i < 60000; i++)
    o.push(
      '{"id":' +
        i +
        ',"name":"user name ' +
        i +
        '","email":"user' +
        i +
        '@example.com","tags":["alpha","beta","g' +
        i +
        '"],"active":true,"score":1.5,"nested":{"a":1,"b":[1,2,3],"c":null}}',
    );
  const s = '[' + o.join(',') + ']';
  let b;
  for (let k = 0; k < 3; k++) b = JSON.parse(s);
  return s.length + ':' + b.length;
}
console.log(String(f()));
