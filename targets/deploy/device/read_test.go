package device

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device/scripts"
)

func FuzzParseAnswers(f *testing.F) {
	f.Add([]byte("m absent\n\nm end 0\nm file\nabc\n\nm end 0\nm OK\n"))
	f.Add([]byte("m query\n\nm end 256\nm OK\n"))
	f.Add([]byte("m file\n"))
	f.Add([]byte("m file 2 0:0:644\nabc\n\nm end 0\nm link 1\n\nm end 0\nm OK\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		answers, err := parseAnswers(out, "m")
		if err != nil {
			require.Nil(t, answers)
			return
		}
		var again bytes.Buffer
		for _, a := range answers {
			rights := ""
			if a.rights != nil {
				rights = fmt.Sprintf(" %d:%d:%o", a.rights.UID, a.rights.GID, a.rights.Mode)
			}
			fmt.Fprintf(&again, "m %s %d%s\n%s\nm end %d\n", a.is, a.at, rights, a.data, a.status)
		}
		again.WriteString("m OK\n")
		back, err := parseAnswers(again.Bytes(), "m")
		require.NoError(t, err)
		require.Equal(t, answers, back)
	})
}

func TestParseAnswersRefuses(t *testing.T) {
	for _, bad := range []string{
		"", "m OK", "x OK\n", "m file\nabc", "m file\nabc\nm end 0", "m file\nabc\nm end 0\n", "m file\nabc\nm end x\nm OK\n",
		"m file\nabc\nm end 0\nm OK\nm OK\n", "Welcome to leaf01\nm OK\n", "m\n",
	} {
		_, err := parseAnswers([]byte(bad), "m")
		require.Error(t, err, "%q", bad)
	}
}

// TestReadsPlainFilesAlone: a read skips a pipe or a link in the place of a file of rocec. A pipe would block the read until its
// time-out, and root would follow the link. Each pipe in the test contains a line, so that the test detects a read of the pipe.
func TestReadsPlainFilesAlone(t *testing.T) {
	const secret = "made-up-secret"
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	require.NoError(t, os.WriteFile(elsewhere, []byte(secret+" "+secret+"\n"), 0o600))
	names := []string{
		"lock/owner", "txn-r/boot", "txn-r/deadline", "txn-r/digest", "txn-r/step.1/time", "backup/e/ended", "backup/c/about",
		"backup/r/digest", "counter", "digests", "pending",
	}
	for kind, put := range map[string]func(t *testing.T, name string){
		"file": func(t *testing.T, name string) {
			require.NoError(t, os.WriteFile(name, []byte("undoes "+secret+"\n"), 0o600))
		},
		"link": func(t *testing.T, name string) { require.NoError(t, os.Symlink(elsewhere, name)) },
		"pipe": func(t *testing.T, name string) {
			require.NoError(t, syscall.Mkfifo(name, 0o600))
			f, err := os.OpenFile(name, os.O_RDWR, 0)
			require.NoError(t, err)
			t.Cleanup(func() { f.Close() })
			_, err = f.WriteString("undoes " + secret + "\n")
			require.NoError(t, err)
		},
	} {
		for _, name := range names {
			t.Run(kind+"/"+name, func(t *testing.T) {
				dir := t.TempDir()
				file := filepath.Join(dir, name)
				for _, sub := range []string{"txn-r/step.1", "backup/r", "backup/c", "backup/e", "lock"} {
					require.NoError(t, os.MkdirAll(filepath.Join(dir, sub), 0o700))
				}
				for name, text := range map[string]string{"txn-r/boot": "b\n", "txn-r/deadline": "9\n", "backup/c/ended": "confirmed x\n"} {
					require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
				}
				os.Remove(file) //nolint:errcheck // most are not there
				put(t, file)
				script := strings.Replace(scripts.Held(), "S=/var/lib/rocec", "S="+dir, 1)
				require.NotEqual(t, scripts.Held(), script)
				script = "B=mark\n" + script + "trusted() { :; }\nstate\nheld r\ngiven r \"$SUM\" || :\n"
				c := exec.CommandContext(t.Context(), "sh", "-c", script)
				sum := "made-up-secret " + secret // the target of the link
				if kind != "link" {
					sum = "undoes " + secret
				}
				c.Env = append(os.Environ(), "SUM="+sum)
				out, err := c.CombinedOutput()
				require.NoError(t, err, string(out))
				shown := strings.Contains(string(out), secret) || strings.Contains(string(out), "\nsame\n")
				if name == "digests" { // the file has a line "RUN SUM" for each run, and only the run's own line is printed
					return
				}
				require.Equal(t, kind == "file", shown, string(out))
			})
		}
	}
}

// TestRightsBeyondTheBound: a device reports the number of owners and modes beyond those that a read keeps.
func TestRightsBeyondTheBound(t *testing.T) {
	h := &deploy.Have{}
	fillState(h, strings.Repeat("rights 1000:1000:777 /var/lib/rocec/x\n", mostRights+3))
	require.Len(t, h.Rights, mostRights)
	require.Equal(t, 3, h.Unnamed)
}
