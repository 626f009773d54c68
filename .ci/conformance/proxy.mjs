// Adds the bearer token to every request: the conformance suite has no flag for
// headers. Usage: node proxy.mjs TARGET READY_FILE, with the token in TOKEN.
import http from "node:http";
import fs from "node:fs";

const [target, ready] = process.argv.slice(2);
const { hostname, port } = new URL(target);
const server = http.createServer((req, res) => {
  const headers = { ...req.headers, authorization: `Bearer ${process.env.TOKEN}` };
  const up = http.request({ hostname, port, path: req.url, method: req.method, headers }, (response) => {
    res.writeHead(response.statusCode, response.headers);
    res.flushHeaders();
    response.pipe(res);
  });
  up.on("error", () => res.destroy());
  res.on("close", () => up.destroy());
  req.pipe(up);
});
server.listen(0, "127.0.0.1", () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  fs.writeFileSync(`${ready}.tmp`, JSON.stringify({ url, pid: process.pid }));
  fs.renameSync(`${ready}.tmp`, ready);
});
