/*
 * shim takes the place of a program of the device that changes state. Before it runs the program it asks the test, over the
 * socket CONTROL, which may let it wait; a device whose test is gone goes on by itself. It is linked statically and has no
 * other file open but that socket, which the program does not inherit.
 *
 *   question  argv, each word ended by a NUL
 *   answer    x WORDS        run the program that WORDS name, in place of argv
 *             w WORDS        the same as a child, send its wait status (an int), and end after another message
 *             e STATUS TEXT  print TEXT to stderr and end with STATUS (one byte)
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAMS "/usr/lib/rocec-test/"
#define CONTROL "/run/rocec-test/control"

static char question[128 << 10], answer[128 << 10];

static void run(char **argv)
{
	char path[512];
	const char *name = strrchr(argv[0], '/');
	snprintf(path, sizeof(path), PROGRAMS "%s", name ? name + 1 : argv[0]);
	execv(path, argv);
	fprintf(stderr, "%s: %s\n", path, strerror(errno));
	exit(127);
}

/* ask connects to the test; -1 where there is none. */
static int ask(char **argv)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX, .sun_path = CONTROL};
	size_t len = 0;
	int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (s < 0 || connect(s, (struct sockaddr *)&to, sizeof(to)) < 0)
		return -1;
	for (; *argv; argv++) {
		size_t n = strlen(*argv) + 1;
		if (n > sizeof(question) - len)
			break; /* the test sees what fits */
		memcpy(question + len, *argv, n);
		len += n;
	}
	return send(s, question, len, MSG_NOSIGNAL) < 0 ? -1 : s;
}

int main(int argc, char **argv)
{
	(void)argc;
	int s = ask(argv);
	ssize_t n = s < 0 ? 0 : recv(s, answer, sizeof(answer) - 1, 0);
	if (n <= 0)
		run(argv);
	if (answer[0] == 'e') {
		fputs(answer + 2, stderr);
		return (unsigned char)answer[1];
	}
	int words = 0;
	for (ssize_t i = 1; i < n; i++)
		words += !answer[i];
	argv = calloc(words + 1, sizeof(*argv));
	if (!argv)
		abort();
	char *p = answer + 1;
	for (int i = 0; i < words; i++, p += strlen(p) + 1)
		argv[i] = p;
	if (answer[0] != 'w')
		run(argv);

	pid_t child = fork();
	int status = 0;
	if (child < 0)
		abort();
	if (!child)
		run(argv);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (send(s, &status, sizeof(status), MSG_NOSIGNAL) > 0)
		(void)recv(s, answer, sizeof(answer), 0);
	if (WIFSIGNALED(status)) {
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
	}
	return WEXITSTATUS(status);
}
