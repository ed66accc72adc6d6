#!/usr/bin/env python3
"""Compares a wget with GNU's, byte by byte: messages, files, times of files and statuses.

usage: compare-wget.py OURS [THEIRS [PART-OF-A-LINE]]

OURS is a native build of guests/tools/wget (`cargo build -p codepod-wget` in guests/), or the
program `codepod`: then each of ours is one of a sandbox, which reaches the server by a name that is
as long as its address. Both get the same pages from a server of this script on loopback. Dates,
rates and times are not compared, nor is the order in which links are converted, which is a matter
of GNU wget's hash tables; and of a name nothing that tells of its lookup.
"""
import difflib, http.server, os, re, shutil, subprocess, sys, tempfile, threading

BIG=bytes(range(256))*1024
class H(http.server.BaseHTTPRequestHandler):
    protocol_version='HTTP/1.1'
    server_version='T'; sys_version=''
    def version_string(self): return 'T'
    def date_time_string(self, ts=None): return 'Thu, 01 Jan 2026 00:00:00 GMT'
    def rep(self,status,body=b'',headers=(),ctype='text/plain',length=True):
        self.send_response(status)
        if ctype: self.send_header('Content-Type',ctype)
        for k,v in headers: self.send_header(k,v)
        if length: self.send_header('Content-Length',str(len(body)))
        else: self.send_header('Connection','close'); self.close_connection=True
        self.end_headers()
        if self.command!='HEAD': self.wfile.write(body)
    def go(self):
        n=int(self.headers.get('Content-Length') or 0); data=self.rfile.read(n)
        path,_,q=self.path.partition('?')
        p=path.split('/')
        if path=='/hello.txt': self.rep(200,b'hello\n',[('Last-Modified','Wed, 01 Jan 2025 10:00:00 GMT')]) if self.headers.get('If-Modified-Since')!='Wed, 01 Jan 2025 10:00:00 GMT' else self.rep(304,b'',ctype=None)
        elif path=='/big':
            r=self.headers.get('Range')
            if r:
                a=int(r[6:].split('-')[0])
                if a>=len(BIG): self.rep(416,b'',[('Content-Range','bytes */%d'%len(BIG))])
                else: self.rep(206,BIG[a:],[('Content-Range','bytes %d-%d/%d'%(a,len(BIG)-1,len(BIG)))],ctype='application/octet-stream')
            else: self.rep(200,BIG,ctype='application/octet-stream')
        elif path=='/nolen': self.rep(200,b'no length\n',length=False)
        elif path=='/chunked':
            self.send_response(200); self.send_header('Content-Type','text/plain'); self.send_header('Transfer-Encoding','chunked'); self.end_headers(); self.wfile.write(b'5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n')
        elif p[1]=='status': self.rep(int(p[2]),b'body of %s\n'%p[2].encode())
        elif p[1]=='to': self.rep(int(p[2]),b'',[('Location','/'+'/'.join(p[3:]))])
        elif path=='/loop': self.rep(302,b'',[('Location','/loop')])
        elif path=='/echo': self.rep(200,(self.command+' '+self.path+'\n'+''.join('%s: %s\n'%(k,v) for k,v in self.headers.items() if k.lower() not in('user-agent','host'))+'\n').encode()+data)
        elif path=='/auth':
            if self.headers.get('Authorization')=='Basic bWU6cHc=': self.rep(200,b'in\n')
            else: self.rep(401,b'',[('WWW-Authenticate','Basic realm="x"')])
        elif path=='/cd': self.rep(200,b'cd\n',[('Content-Disposition','attachment; filename="named.txt"')])
        elif path in('/','/site/','/site/index.html'): self.rep(200,b'<html><head><link rel="stylesheet" href="/site/s.css"></head><body><a href="/site/a.html">a</a> <a href="sub/b.html">b</a> <a href="http://%s/site/c.txt?x=1&amp;y=2#f">c</a><img src="/site/i.png"><a href="../hello.txt">up</a><a href="http://other.invalid/x">o</a><a href=mailto:a@b>m</a></body></html>'%self.headers['Host'].encode(),ctype='text/html; charset=utf-8')
        elif path=='/site/a.html': self.rep(200,b'<a href="/site/sub/b.html#x">b</a><a href="/site/missing.html">m</a><a href="deep/d.html">d</a>\n',ctype='text/html')
        elif path=='/site/sub/b.html' or path=='/sub/b.html': self.rep(200,b'<html><img src=../i.png><a href="../">up</a></html>\n',ctype='text/html')
        elif path=='/site/deep/d.html': self.rep(200,b'deep\n',ctype='text/html')
        elif path=='/site/c.txt': self.rep(200,b'c\n')
        elif path=='/site/i.png': self.rep(200,b'PNG\0',ctype='image/png')
        elif path=='/site/s.css': self.rep(200,b'body{background:url(bg.png)} @import "t.css";',ctype='text/css')
        elif path in('/site/bg.png','/site/t.css'): self.rep(200,b'x',ctype='image/png' if 'png' in path else 'text/css')
        elif path=='/robots.txt': self.rep(404,b'')
        elif path=='/cut': 
            self.send_response(200); self.send_header('Content-Length','100'); self.end_headers(); self.wfile.write(b'short'); self.close_connection=True
        elif path=='/page': self.rep(200,b'<p>x</p>',ctype='text/html')
        else: self.rep(404,b'nope\n')
    do_GET=do_POST=do_HEAD=do_PUT=do_DELETE=go
    def log_message(self,*a): pass

server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), H)
threading.Thread(target=server.serve_forever, daemon=True).start()
PLACE = '127.0.0.1:%d' % server.server_port
U = 'http://' + PLACE
OURS = os.path.abspath(sys.argv[1])
NAME = 'host.test'
INSIDE = os.path.basename(OURS) == 'codepod'
def command(program, args, place):
    """A wget with these arguments, its program and its environment."""
    env = {'LC_ALL': 'C.UTF-8', 'HOME': '/nonexistent', 'PATH': os.environ['PATH']}
    if not (INSIDE and program == OURS):
        return ['wget'] + args, program, env
    args = [arg.replace(PLACE, PLACE.replace('127.0.0.1', NAME)) for arg in args]
    options = ['--no-hints', '--timeout', '60', '--mount', f'{place}:{place}:rw', '--cwd', place,
        '--allow-host', f'http://{NAME}:*', '--allow-host', 'http://no.such.host.invalid', '--resolve', f'{NAME}=127.0.0.1']
    return [OURS, 'exec'] + options + ['--', 'wget'] + args, OURS, {**os.environ, 'LC_ALL': 'C.UTF-8'}
def by_address(text):
    """What a wget says of a server by name, as it says it by its address."""
    text = re.sub(rf'(?m)^Resolving {NAME}.*\n', '', text)
    return re.sub(rf'{NAME}( \({NAME}\)\|198\.18\.[\d.]+\|)?', '127.0.0.1', text)
THEIRS = sys.argv[2] if len(sys.argv) > 2 else '/usr/bin/wget'
ONLY = sys.argv[3] if len(sys.argv) > 3 else ''
cases='''
U/hello.txt
U/hello.txt U/hello.txt
-nc U/hello.txt U/hello.txt
-N U/hello.txt; -N U/hello.txt
U/big
-c U/big; -c U/big
U/big -O x; -c U/big -O x
-O - -q U/hello.txt
-q U/hello.txt
-nv U/hello.txt
-nv U/nolen
-nv U/hello.txt U/status/404 U/big
U/nolen
U/chunked
U/chunked -O -
U/status/404
U/status/500 U/hello.txt
-nv U/status/500
-S U/hello.txt
-S U/to/302/hello.txt -O x
--max-redirect=2 U/loop
--max-redirect=0 U/to/301/hello.txt
U/to/307/hello.txt
U/to/302/hello.txt
--trust-server-names U/to/302/hello.txt
--spider U/hello.txt
--spider U/page
--spider U/status/404
--spider -nv U/hello.txt
-t1 http://127.0.0.1:1/
-nv -t1 http://127.0.0.1:1/
-t1 http://no.such.host.invalid/

--nosuch
-nosuch U/
-nv U/auth
U/auth
--user=me --password=pw U/auth -O -
--user=me --password=pw --auth-no-challenge U/auth -O -
--user=me --password=no U/auth -O -
http://me:pw@PLACE/auth
--post-data=a=b -O - -q U/echo
--post-data=a=b -q -O - U/to/302/echo
--post-data=a=b -q -O - U/to/307/echo
--method=PUT --body-data=xyz -q -O - U/echo
--method=DELETE -q -O - U/echo
--body-data=x U/echo
-q -O - --header=X:y --header=Accept:z --referer=r U/echo
-q -O - -U agent --no-cache U/echo?a=b
U/hello.txt U/big
-t2 -w0 --waitretry=0 U/cut
-i list
-i list -nv
-i /dev/null
--content-on-error U/status/404 -O -
-P d/e U/hello.txt
-x U/site/a.html
-x -nH --cut-dirs=1 U/site/sub/b.html
--content-disposition U/cd
U/cd
-E U/page
-o log U/hello.txt
-O a/b/c U/hello.txt
U/echo?x=1&y=2 -q
U/site/
-r -l1 U/site/
-r -nv U/site/
-r -l2 -np U/site/
-r -nd -A txt U/site/
-r -R png,css U/site/
-p U/site/
-k U/site/
-p -k U/site/
-r -k -np U/site/
-r -l1 -X /site/sub U/site/
--limit-rate=100k U/big
-T5 -t1 U/hello.txt
--delete-after U/hello.txt
-nH -x U/hello.txt
-Q1 U/big U/hello.txt
-m -np U/site/
-r -l1 -e robots=off U/site/
'''.strip('\n').split('\n')
def norm(s):
    s=s.replace('\u2018',"'").replace('\u2019',"'")
    s=re.sub(r'\d{4}-\d\d-\d\d \d\d:\d\d:\d\d','DATE',s)
    s=re.sub(r'[\d.]+ [KMGT]?B/s','RATE',s)
    s=re.sub(r'(%|K|,,,|   ) *[\d.]+[KMGT ]?=[\d.]+s',r'\1 RATE=TIME',s)
    s=re.sub(r'(\d+%) +[\d.]+[KMGT ]? \d+s',r'\1 RATE ETA',s)
    s=re.sub(r'clock time: [\d.]+s','clock time: TIME',s)
    parts=re.split(r'(?m)^(?=Converting|Converted)',s); s=''.join(parts[:1]+sorted(parts[1:]))
    s=re.sub(r'in [\d.]+s \(','in TIME (',s); s=re.sub(r'in [\d.]+ seconds','in TIME seconds',s)
    return s
def tree(d):
    out=[]
    for r,ds,fs in os.walk(d):
        for f in sorted(fs):
            p=os.path.join(r,f); b=open(p,'rb').read()
            if f in('log',): b=norm(by_address(b.decode())).encode()
            old=int(os.path.getmtime(p)) if os.path.getmtime(p)<1.76e9 else 0
            out.append((os.path.relpath(p,d).replace(NAME,'127.0.0.1'),b.replace(NAME.encode(),b'127.0.0.1'),old))
    return sorted(out)
bad=0
for i,c in enumerate(cases):
    if ONLY not in c: continue
    res=[]
    for w in(THEIRS,OURS):
        d=tempfile.mkdtemp()
        own=U.replace('127.0.0.1',NAME) if INSIDE and w==OURS else U
        if 'list' in c: open(d+'/list','w').write(own+'/hello.txt\n\n'+own+'/big\n')
        out=b'';rc=[]
        for part in c.split('; '):
            args=[a.replace('U/',U+'/') if a.startswith('U/') else a.replace('PLACE',PLACE) for a in part.split()]
            argv,program,env=command(w,args,d)
            try: p=subprocess.run(argv,executable=program,cwd=d,stdout=subprocess.PIPE,stderr=subprocess.STDOUT if '-O -' not in part else subprocess.PIPE,timeout=40,env=env)
            except subprocess.TimeoutExpired: rc.append('timeout'); continue
            out+=p.stdout+(p.stderr or b''); rc.append(p.returncode)
        res.append((norm(by_address(out.decode('utf8','replace'))),rc,tree(d))); shutil.rmtree(d)
    a,b=res
    if a==b: print('same',c)
    else:
        bad+=1; print('DIFF',c,a[1],b[1])
        if a[0]!=b[0]:
            print('\n'.join(list(difflib.unified_diff(a[0].split('\n'),b[0].split('\n'),lineterm='',n=0))[2:26]))
        if a[2]!=b[2]:
            A={x[0]:x for x in a[2]};B={x[0]:x for x in b[2]}
            for k in sorted(set(A)|set(B)):
                if A.get(k)!=B.get(k): print('   file',k,(A.get(k) or ('','none'))[1:][:2] if len((A.get(k) or ('',b''))[1])<400 else len(A[k][1]),'|',(B.get(k) or ('','none'))[1:][:2] if len((B.get(k) or ('',b''))[1])<400 else len(B[k][1]))
print(len(cases),'cases',bad,'differ')
