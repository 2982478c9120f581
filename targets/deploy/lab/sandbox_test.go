package lab

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// secret is the text of a file on the machine, at a path that a device could also have.
const secret = "the-machine's-own-secret"

// TestNothingReachesTheMachine tries every way in which a script could reach the machine.
func TestNothingReachesTheMachine(t *testing.T) {
	dir := t.TempDir() // this path exists on the machine, and on no device
	canary := filepath.Join(dir, "canary")
	require.NoError(t, os.WriteFile(canary, []byte("echo "+secret+"\n"), 0o755))
	t.Setenv("ROCEC_LAB_CANARY", secret)
	t.Setenv("TMPDIR", dir)
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	work, err := os.Getwd()
	require.NoError(t, err)

	scripts := map[string]string{
		"cat":                  "cat @CANARY@",
		"redirect in":          "cat <@CANARY@",
		"command substitution": "echo $(cat @CANARY@) `cat @CANARY@`",
		"shortcut":             "echo $(<@CANARY@)",
		"source":               ". @CANARY@",
		"source by name":       "PATH=@DIR@; . canary",
		"command source":       "command . @CANARY@; command source @CANARY@; source @CANARY@",
		"eval source":          "eval '. @CANARY@'",
		"execute":              "@CANARY@",
		"execute by name":      "PATH=@DIR@; canary",
		"exec":                 "exec @CANARY@",
		"shell":                "/bin/sh @CANARY@; sh @CANARY@; /bin/bash @CANARY@; /usr/bin/env @CANARY@",
		"command -v":           "command -v @CANARY@; PATH=@DIR@ command -v canary; PATH=@DIR@; command -v canary; type canary",
		"which":                "which @CANARY@; hash canary",
		"glob":                 "echo @DIR@/*; for f in @DIR@/*; do cat $f; done; cd @DIR@; echo *",
		"glob of the root":     "echo /*; echo /home/*/.ssh/* /root/.*",
		"cd":                   "cd @DIR@ && cat canary; cd && pwd; cd @WORK@ 2>/dev/null; pwd; pwd -P",
		"cd through links":     "ln -s @DIR@ l; cd l && cat canary; readlink -f @CANARY@ && echo FOUND",
		"test": "for o in -e -f -r -w -x -s -O -G; do [ $o @CANARY@ ] && echo FOUND; done; [ @CANARY@ -ef @CANARY@ " +
			"] && echo FOUND",
		"write": "echo x >@DIR@/new; echo x >>@CANARY@; : >@CANARY@; rm -f @CANARY@; mkdir @DIR@/newdir; touch " +
			"@DIR@/new; cp /etc/hostname @DIR@/new; mv /etc/hostname @DIR@/new",
		"write to tmp":                    "echo x >/tmp/rocec-lab-canary",
		"here-document":                   "cat <<END\n$(cat @CANARY@)\nEND",
		"process substitution":            "cat <(cat @CANARY@); echo >(cat)",
		"process substitution, by eval":   "eval 'cat <(echo x)'; eval 'echo x > >(cat)'",
		"process substitution, by trap":   "trap 'cat <(echo x)' EXIT",
		"process substitution, by source": "echo 'cat <(echo x)' >/lib.sh; . /lib.sh",
		"fifo names": "echo x >@DIR@/sh-interp-1; cat @DIR@/sh-interp-1; TMPDIR=/; export TMPDIR; echo x >/sh-interp-1; " +
			"cat </dev/null/rocec-lab/sh-interp-1",
		"background":  "cat @CANARY@ & wait; (cat @CANARY@ &) ; { cat @CANARY@; } & wait",
		"environment": "env; echo $ROCEC_LAB_CANARY; set; export",
		"tilde": "echo ~; cat ~/canary; echo ~root ~nobody ~daemon; echo ~root | cat; (echo ~daemon) | cat; " +
			"x=~daemon; echo $x; eval 'echo ~daemon'",
		"descriptors": "cat /dev/fd/3 /dev/fd/9 /proc/self/environ /proc/1/environ; ls /proc/self/fd",
		"devices":     "cat /dev/mem; echo x >/dev/tcp/127.0.0.1/1; cat </dev/tcp/127.0.0.1/22",
		"builtins of bash": "shopt -s expand_aliases; alias x='cat @CANARY@'; x; mapfile a <@CANARY@; readarray b <@CANARY@; " +
			"declare -p; compgen -f @DIR@/; builtin . @CANARY@; pushd @DIR@; help",
		"shadowed builtin": "pwd() { command pwd -P; }; pwd",
		"process numbers":  "kill -0 1; kill -9 @PID@; echo $$ $PPID",
		"sudo":             "sudo -n cat @CANARY@; sudo -n sh -c '. @CANARY@'",
		"unit": "printf '[Service]\\nType=oneshot\\nExecStart=@CANARY@\\n' >/etc/systemd/system/x.service; " +
			"systemctl start x; systemd-run @CANARY@",
		"nested shells": "sh -c 'sh -c \"cat @CANARY@\"'; echo 'cat @CANARY@' | sh; echo 'cat @CANARY@' >/s; sh /s; chmod " +
			"+x /s; /s",
	}
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			d := hostDevice()
			script = strings.NewReplacer("@CANARY@", canary, "@DIR@", dir, "@WORK@", work, "@PID@", fmt.Sprint(os.Getpid())).Replace(script)
			r := sh(t, d, "root", script, "")
			said := r.out + r.err
			require.NotContains(t, said, secret)
			require.NotContains(t, said, "FOUND")
			if home != "/root" {
				require.NotContains(t, said, home+"\n")
			}
			require.NotContains(t, said, work+"\n")
			require.NotContains(t, strings.Fields(said), fmt.Sprint(os.Getpid()))
			require.NotContains(t, said, "/usr/sbin\n", "the machine's daemon user")
		})
	}
	data, err := os.ReadFile(canary)
	require.NoError(t, err)
	require.Equal(t, "echo "+secret+"\n", string(data))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing was made on the machine")
	require.NoFileExists(t, "/tmp/rocec-lab-canary")
	require.NoFileExists(t, "/sh-interp-1")
}

// TestCancelEndsEverything cuts off sessions while their commands block.
func TestCancelEndsEverything(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, script := range []string{
		"sleep 100000", "while :; do :; done", "cat", "read x", "cat | cat", "(sleep 100000) & wait",
		"sleep 100000 | cat", "timeout 90000 sleep 80000", "sh -c 'sleep 100000'",
	} {
		l, err := Start(testTree())
		require.NoError(t, err)
		c := dial(t, l, "host01")
		s, err := c.NewSession()
		require.NoError(t, err)
		stdin, err := s.StdinPipe() // stdin stays open, so that cat does not end
		require.NoError(t, err)
		require.NoError(t, s.Start(script))
		require.Eventually(t, func() bool { return len(l.Device("host01").Commands()) == 1 }, 10*time.Minute, time.Millisecond)
		done := make(chan error, 1)
		go func() { done <- l.Close() }()
		select {
		case err := <-done:
			require.NoError(t, err)
		case <-time.After(10 * time.Minute):
			buf := make([]byte, 1<<20)
			t.Fatalf("%s: Close hangs\n%s", script, buf[:runtime.Stack(buf, true)])
		}
		_ = stdin.Close()
		_ = c.Close()
	}
	settled := func() bool { return runtime.NumGoroutine() <= before }
	if !assertEventually(settled, 10*time.Minute) {
		buf := make([]byte, 1<<20)
		t.Fatalf("%d goroutines before, %d after\n%s", before, runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
	}
}

func assertEventually(ok func() bool, patience time.Duration) bool {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if ok() {
			return true
		}
	}
	return ok()
}
