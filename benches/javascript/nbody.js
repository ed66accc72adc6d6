// Floating point on properties of objects: five bodies.

function f() {
  const b = [];
  for (let i = 0; i < 5; i++)
    b.push({
      x: i * 1.1,
      y: i * 0.7,
      z: i * 0.3,
      vx: 0.1 * i,
      vy: 0.2,
      vz: -0.1 * i,
      m: 1 / (i + 1),
    });
  for (let s = 0; s < 100000; s++) {
    for (let i = 0; i < 5; i++) {
      const p = b[i];
      for (let j = i + 1; j < 5; j++) {
        const q = b[j];
        const dx = p.x - q.x,
          dy = p.y - q.y,
          dz = p.z - q.z;
        const d = dx * dx + dy * dy + dz * dz + 0.01;
        const g = 0.001 / (d * Math.sqrt(d));
        p.vx -= dx * q.m * g;
        p.vy -= dy * q.m * g;
        p.vz -= dz * q.m * g;
        q.vx += dx * p.m * g;
        q.vy += dy * p.m * g;
        q.vz += dz * p.m * g;
      }
    }
    for (const p of b) {
      p.x += 0.001 * p.vx;
      p.y += 0.001 * p.vy;
      p.z += 0.001 * p.vz;
    }
  }
  return b[0].x;
}
console.log(String(f()));
