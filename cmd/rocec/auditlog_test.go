package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/chain"
	"github.com/rocec/rocec/cmd/internal/exit"
)

// rehearsed is a small fabric with its lab and a folder for journals.
type rehearsed struct{ folder, fabric, lab string }

func newRehearsed(t *testing.T) rehearsed {
	t.Helper()
	folder := t.TempDir()
	setenv(t, "XDG_STATE_HOME", filepath.Join(folder, "state"))
	setenv(t, "HOME", folder)
	setenv(t, "COLUMNS", "1000") // sentences are looked for as a whole
	r := rehearsed{folder, filepath.Join(folder, "rack"), "--lab=" + filepath.Join(folder, "lab")}
	code, _, stderr := rocec(t, "init", r.fabric)
	require.Zero(t, code, stderr)
	name := filepath.Join(r.fabric, "token.hcl")
	require.NoError(t, os.WriteFile(name, []byte("variable \"token\" {\n  default = \"\"\n}\n"), 0o600))
	return r
}

// journals returns the lines of all journals.
func (r rehearsed) journals(t *testing.T) (lines []string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(r.folder, "state", "rocec", "runs", "*.jsonl"))
	require.NoError(t, err)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		lines = append(lines, strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })...)
	}
	return lines
}

// TestCentralRecord gives a central record each line of the journal of a run, in order, without the values of variables.
func TestCentralRecord(t *testing.T) {
	t.Parallel()
	r := newRehearsed(t)
	socket := filepath.Join(r.folder, "socket")
	l, err := net.Listen("unix", socket)
	require.NoError(t, err)
	defer l.Close()
	received := make(chan []string)
	go func() {
		var texts []string
		conn, err := l.Accept()
		if assert.NoError(t, err) {
			for s := bufio.NewScanner(conn); s.Scan(); {
				texts = append(texts, s.Text())
			}
		}
		received <- texts
	}()
	code, _, stderr := rocec(t, "apply", r.fabric, r.lab, "-y", "-m", "CHG0004711", "--var", "token=hunter2",
		"--audit-log", "json+unix://"+socket)
	require.Zero(t, code, stderr)
	require.NotContains(t, stderr, "central record")
	texts, lines := <-received, r.journals(t)
	require.Contains(t, lines[0], "hunter2")
	require.Len(t, texts, len(lines))
	schema, err := jsonschema.NewCompiler().Compile("../../docs/schema/audit-log.json")
	require.NoError(t, err)
	kinds := map[string]bool{}
	for i, text := range texts {
		require.NotContains(t, text, "hunter2")
		v, err := jsonschema.UnmarshalJSON(bytes.NewBufferString(text))
		require.NoError(t, err)
		require.NoError(t, schema.Validate(v), text)
		event := v.(map[string]any)
		require.Equal(t, chain.Sum([]byte(lines[i])), event["head"])
		require.Contains(t, event["by"], ", process ")
		kinds[event["event"].(string)] = true
	}
	require.Equal(t, map[string]bool{"begin": true, "verb": true, "outcome": true, "end": true}, kinds)
	require.Contains(t, texts[0], `"message":"CHG0004711"`)
	require.Contains(t, texts[0], `"lab":true`)
}

// TestNoCentralRecord refuses a new change where a policy asks for a record that cannot be reached. For a record of --audit-log, and for a
// rollback, rocec only warns. At the end of a run it prints how many events the record did not get.
func TestNoCentralRecord(t *testing.T) {
	t.Parallel()
	r := newRehearsed(t)
	url := "json+unix://" + filepath.Join(r.folder, "none")
	policy := filepath.Join(r.folder, "policy.hcl")
	require.NoError(t, os.WriteFile(policy, []byte(`audit_log = "`+url+`"`), 0o600))
	apply := []string{"apply", r.fabric, r.lab, "-y"}

	code, _, stderr := rocec(t, append(apply, "--policy", policy)...)
	require.Equal(t, exit.Machines, code)
	require.Contains(t, stderr, "wants events in the central record "+url+", which cannot be reached: dial unix")
	require.Contains(t, stderr, "Nothing was changed.")
	require.Empty(t, r.journals(t))

	code, _, stderr = rocec(t, append(apply, "--audit-log", url)...)
	require.Zero(t, code, stderr)
	require.Contains(t, stderr, "the central record "+url+" cannot be reached: dial unix")
	n := len(r.journals(t))
	require.Contains(t, stderr, fmt.Sprintf("the central record %s did not get %d of %[2]d events: dial unix", url, n))

	code, _, stderr = rocec(t, "rollback", "last", "-y", "--policy", policy)
	require.Zero(t, code, stderr)
	require.Contains(t, stderr, "cannot be reached")

	require.NoError(t, os.WriteFile(policy, []byte("\naudit_log = \"logs:601\""), 0o600))
	code, _, stderr = rocec(t, append(apply, "--policy", policy)...)
	require.Equal(t, exit.Errors, code)
	require.Contains(t, stderr, `"logs:601" is no URL of a central record`)
	require.Contains(t, stderr, "policy.hcl:2:1")

	code, _, stderr = rocec(t, append(apply, "--audit-log", "logs:601")...)
	require.Equal(t, exit.Usage, code)
	require.Contains(t, stderr, `"logs:601" is no URL of a central record`)
}
