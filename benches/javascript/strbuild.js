// Strings that grow by a letter, a join, and a hash over all letters.

function f() {
  let s = '';
  for (let i = 0; i < 2000000; i++) {
    s += String.fromCharCode(97 + (i % 26));
  }
  let a = [];
  for (let i = 0; i < 500000; i++) a.push('item' + i);
  const j = a.join(',');
  let h = 0;
  for (let i = 0; i < j.length; i++) h = (h * 31 + j.charCodeAt(i)) | 0;
  return s.length + j.length + h;
}
console.log(String(f()));
