/* Names of users, groups and the machine. */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { FIELDS = 7, LINE = 1024, MEMBERS = 64 };

struct table {
    const char *path;
    FILE *file;
    char line[LINE];
    char *fields[FIELDS];
};

static struct table users = {.path = "/etc/passwd"}, groups = {.path = "/etc/group"};

/* The fields of the next line that has `count` of them. */
static int next(struct table *table, int count)
{
    if (table->file == NULL && (table->file = fopen(table->path, "re")) == NULL) {
        return 0;
    }
    while (fgets(table->line, LINE, table->file) != NULL) {
        table->line[strcspn(table->line, "\n")] = '\0';
        char *rest = table->line;
        int found = 0;
        while (rest != NULL && found < count) {
            table->fields[found++] = strsep(&rest, ":");
        }
        if (found == count) {
            return 1;
        }
    }
    return 0;
}

static void rewind_table(struct table *table)
{
    if (table->file != NULL) {
        fclose(table->file);
        table->file = NULL;
    }
}

void setpwent(void) { rewind_table(&users); }
void endpwent(void) { rewind_table(&users); }
void setgrent(void) { rewind_table(&groups); }
void endgrent(void) { rewind_table(&groups); }

struct passwd *getpwent(void)
{
    static struct passwd user;
    if (!next(&users, 7)) {
        return NULL;
    }
    char **f = users.fields;
    user = (struct passwd){f[0], f[1], (uid_t)strtoul(f[2], NULL, 10), (gid_t)strtoul(f[3], NULL, 10), f[4], f[5], f[6]};
    return &user;
}

struct passwd *getpwuid(uid_t uid)
{
    setpwent();
    struct passwd *user;
    while ((user = getpwent()) != NULL && user->pw_uid != uid) {
    }
    endpwent();
    return user;
}

struct passwd *getpwnam(const char *name)
{
    setpwent();
    struct passwd *user;
    while ((user = getpwent()) != NULL && strcmp(user->pw_name, name) != 0) {
    }
    endpwent();
    return user;
}

struct group *getgrent(void)
{
    static struct group group;
    static char *members[MEMBERS + 1];
    if (!next(&groups, 4)) {
        return NULL;
    }
    char **f = groups.fields, *rest = f[3];
    int count = 0;
    while (rest != NULL && *rest != '\0' && count < MEMBERS) {
        members[count++] = strsep(&rest, ",");
    }
    members[count] = NULL;
    group = (struct group){f[0], f[1], (gid_t)strtoul(f[2], NULL, 10), members};
    return &group;
}

struct group *getgrgid(gid_t gid)
{
    setgrent();
    struct group *group;
    while ((group = getgrent()) != NULL && group->gr_gid != gid) {
    }
    endgrent();
    return group;
}

struct group *getgrnam(const char *name)
{
    setgrent();
    struct group *group;
    while ((group = getgrent()) != NULL && strcmp(group->gr_name, name) != 0) {
    }
    endgrent();
    return group;
}

char *getlogin(void)
{
    struct passwd *user = getpwuid(getuid());
    if (user == NULL) {
        errno = ENXIO;
        return NULL;
    }
    return user->pw_name;
}

int gethostname(char *buffer, size_t size)
{
    FILE *file = fopen("/etc/hostname", "re");
    char name[65] = "localhost";
    if (file != NULL) {
        if (fgets(name, sizeof name, file) != NULL) {
            name[strcspn(name, "\n")] = '\0';
        }
        fclose(file);
    }
    if (strlen(name) >= size) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(buffer, name);
    return 0;
}

/* What `uname` of the sandbox says. */
int uname(struct utsname *result)
{
    memset(result, 0, sizeof *result);
    strcpy(result->sysname, "Linux");
    gethostname(result->nodename, sizeof result->nodename);
    strcpy(result->release, "6.1.0-codepod");
    strcpy(result->version, "#1 SMP codepod");
    strcpy(result->machine, "x86_64");
    return 0;
}
