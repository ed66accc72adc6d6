// The same loop at the top of a file, where variables are not locals of a function.

let s = 0;
for (let i = 0; i < 1e7; i++) s += i % 7;
console.log(String(s));
