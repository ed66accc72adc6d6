# Sourced by ../interoperation.sh: databases of sqlite3, both ways.
inside 'sqlite3 in.db "create table t(a, b); insert into t values (1, x'"'00ff'"'), (2, null); create virtual table f using fts5(x);"'
check 'sqlite3 outside' same $'1|00FF\nok' "$(sqlite3 in.db 'select count(*), hex(b) from t where a=1; pragma integrity_check')"
sqlite3 out.db 'create table t(a); insert into t values (41), (1); create index i on t(a)'
check 'sqlite3 inside' same $'42\nok' "$(inside "sqlite3 out.db 'select sum(a) from t; pragma integrity_check'")"
