package nvue_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/target/targettest"
)

// shells are the shells that a switch, or a user who logs in there, may have.
var shells = [][]string{{"dash"}, {"bash", "--posix"}}

// sourced runs a script after nv.sh in every shell, with an nv that prints a text and ends with a status. All shells must give the same
// result.
func sourced(t *testing.T, answer, status, script string, more ...string) (out string, failed bool) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "answer"), []byte(answer), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "nv"), []byte("#!/bin/sh\ncat "+dir+"/answer\nexit "+status+"\n"), 0o755))
	lib, err := os.ReadFile("steps/nv.sh")
	require.NoError(t, err)
	for i, shell := range shells {
		cmd := exec.Command(machinetest.Need(t, shell[0]), append(slices.Clone(shell[1:]), "-c", strings.NewReplacer(more...).Replace(string(lib))+script)...)
		cmd.Env = []string{"PATH=" + dir + ":/usr/bin:/bin", "LC_ALL=C"}
		var b bytes.Buffer
		cmd.Stdout = &b
		err := cmd.Run()
		if i > 0 {
			require.Equal(t, out, b.String(), "%v", shell)
			require.Equal(t, failed, err != nil, "%v", shell)
		}
		out, failed = b.String(), err != nil
	}
	return out, failed
}

// TestRevisions: JSON in any layout, with any text that people write into messages.
func TestRevisions(t *testing.T) {
	const three = `{"1":{"state":"inactive","message":"factory"},
"12" : { "transition": {"issue": {"0": {"state": "x", "message": "y"}}, "progress": ""}, "state" : "applied_and_saved",
  "additional-data":{"parent-revision-id":"1","user":"root"}, "message":"a \"b\" {c}} [ \\" },
"13":{"message":"","state":"pending"},"applied":{"state":"saved"},"empty":{}}`
	for name, c := range map[string]struct{ answer, revisions, applied string }{
		"three": {three, "1 inactive factory\n12 applied_and_saved a_b_{c}}[\\\\\n13 pending -\n", "12 applied_and_saved a_b_{c}}[\\\\\n"},
		"our window": {
			`{"2":{"state":"inactive"},"3":{"state":"confirm","message":"rocec-x-after-2"}}`,
			"2 inactive -\n3 confirm rocec-x-after-2\n", "3 confirm rocec-x-after-2\n",
		},
		"two are applied": {`{"2":{"state":"applied"},"3":{"state":"applied"}}`, "2 applied -\n3 applied -\n", "fails\n"},
		"the startup's":   {`{"2":{"state":"saved"},"3":{"state":"applied"}}`, "2 saved -\n3 applied -\n", "3 applied -\n"},
		"saved alone":     {`{"2":{"state":"saved"},"3":{"state":"pending"}}`, "2 saved -\n3 pending -\n", "2 saved -\n"},
		"none":            {`{}`, "", "fails\n"},
		"not JSON":        {"Error: Could not connect to nvued\n", "", "fails\n"},
		"half of it":      {three[:100], "1 inactive factory\n", "fails\n"},
		"a glob":          {`{"2":{"state":"applied","message":"*"}}`, "2 applied *\n", "2 applied *\n"},
	} {
		out, _ := sourced(t, c.answer, "0", "revisions")
		assert.Equal(t, c.revisions, out, name)
		out, _ = sourced(t, c.answer, "0", `if applied; then printf '%s %s %s\n' "$now" "$state" "$message"; else echo fails; fi`)
		assert.Equal(t, c.applied, out, name)
	}
	// As many revisions as a switch keeps, with long messages and progress texts. Every step and undo asks more than once.
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, `,"%d":{"message":"a \"q\" \\ b","state":"inactive","transition":{"issue":{},"progress":"%s"}}`, i+1,
			strings.Repeat(`x\ny`, 10*(i%2)))
	}
	took := targettest.ProcessorTime(t, func() {
		out, _ := sourced(t, "{"+b.String()[1:]+`,"101":{"state":"applied","message":"\\"}}`, "0",
			`applied; printf '%s %s %s\n' "$now" "$state" "$message"`)
		assert.Equal(t, "101 applied \\\\\n", out)
	})
	assert.Less(t, took, 20*time.Second)

	_, failed := sourced(t, three, "1", "applied")
	assert.True(t, failed)
}

// TestTree: a switch prints exactly what rocec compares, and an incomplete tree is an error.
func TestTree(t *testing.T) {
	const whole = `- header:
    model: vx
    version: Cumulus Linux 5.15.0
- set:
    bridge:
      domain:
        br_default:
          qos: no
    interface:
      bond1:
        bond:
          member:
            swp3-4: {}
        description: qos
      swp1,5:
        ip:
          address:
            10.0.0.1/31: {}
        qos:
          pfc:
            profile: x
        router:
          adaptive-routing:
            state: enabled
          ospf:
            authentication:
              md5-key: secret
          pim:
            state: disabled
        type: swp
      'eth0': {}
    qos:
      pfc:
        x:
          switch-priority:
            '3': {}
    router:
      adaptive-routing:
        state: enabled
      bgp:
        password: secret
    system:
      aaa:
        user:
          cumulus:
            hashed-password: secret
      config:
        apply:
          ignore:
            /etc/x: {}
        snippet:
          frr.conf: |
            router bgp 1
             neighbor 10.0.0.1 password secret
      message:
        pre-login: |
          qos:

            secret
`
	out, failed := sourced(t, whole, "0", "tree applied")
	require.False(t, failed)
	assert.Equal(t, `- set:
    interface:
      bond1:
        bond:
          member:
            swp3-4: {}
      swp1,5:
        qos:
          pfc:
            profile: x
        router:
          adaptive-routing:
            state: enabled
        type: swp
      'eth0': {}
    qos:
      pfc:
        x:
          switch-priority:
            '3': {}
    router:
      adaptive-routing:
        state: enabled
    system:
      config:
        apply:
          ignore:
            /etc/x: {}
`, out)
	_, failed = sourced(t, whole, "1", "tree applied")
	assert.True(t, failed, "nv failed")
	_, failed = sourced(t, whole, "0", "tree applied", "8388608", "500")
	assert.True(t, failed, "more than is read")
	// Logged commands are in separate lines; a command in braces would include its neighbours.
	for _, flow := range []string{
		"- set: {qos: {roce: {}}, router: {bgp: {password: secret}}}\n", "- set:\n    interface: {swp1: {qos: {}, description: secret}}\n",
		"- set:\n    interface:\n      swp1: {ip: {address: secret}}\n", "- set:\n    router: {bgp: {password: secret}}\n",
		"- set:\n    interface:\n      swp1:\n        router: {ospf: {authentication: {md5-key: secret}}}\n",
		"- set:\n    system: {aaa: {user: {cumulus: {hashed-password: secret}}}}\n",
		"- set:\n    system:\n      config: {snippet: {frr.conf: secret}}\n",
	} {
		out, failed = sourced(t, flow, "0", "tree applied")
		assert.True(t, failed, flow)
		assert.NotContains(t, out, "secret", flow)
	}
	out, failed = sourced(t, "- set:\n    interface: {}\n    qos:\n      roce: {}", "0", "tree applied")
	assert.False(t, failed, "the last line has no end")
	assert.Equal(t, "- set:\n    interface: {}\n    qos:\n      roce: {}\n", out)
	for _, empty := range []string{"", "[]\n", "- header:\n    model: vx\n"} {
		_, failed = sourced(t, empty, "0", "tree applied")
		assert.True(t, failed, "%q", empty)
	}
	out, failed = sourced(t, "- set: {}\n", "0", "tree applied")
	assert.False(t, failed)
	assert.Equal(t, "- set: {}\n", out)
}

// TestAsked: nv asks before it acts, so after the answer no nothing needs to be undone, whatever the state of the revision. An undo would
// overwrite the file that nv asked about.
func TestAsked(t *testing.T) {
	step := filepath.Join(t.TempDir(), "txn-r", "step.00")
	require.NoError(t, os.MkdirAll(step, 0o700))
	lib, err := os.ReadFile("steps/go.sh")
	require.NoError(t, err)
	for _, status := range []string{"0", "1"} {
		for answer, applying := range map[string]bool{
			"x was edited and will be overwritten. Are you sure? [y/N] n\n": false,
			"Error: half of it\n": true,
		} {
			_, failed := sourced(t, answer, status, string(lib)+"ROCEC_STEP="+step+"; go 4 3")
			assert.True(t, failed)
			_, err := os.Stat(filepath.Join(step, "applying"))
			assert.Equal(t, applying, err == nil, "%s with status %s", answer, status)
		}
	}
}

// TestBoot: the start-up configuration is restored if a change was applied and not confirmed, and stays if no change was applied. A copy
// torn by a power cut would leave the switch without a configuration.
func TestBoot(t *testing.T) {
	lib, err := os.ReadFile("steps/undo.sh")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		step map[string]string
		want string
	}{
		"torn before it was applied": {map[string]string{"startup": "", "prev": "3\n"}, "now\n"},
		"nothing staged":             {nil, "now\n"},
		"applied":                    {map[string]string{"startup": "before\n", "prev": "3\n", "applying": "4\n"}, "before\n"},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "startup.yaml")
		require.NoError(t, os.WriteFile(file, []byte("now\n"), 0o600))
		for of, text := range c.step {
			require.NoError(t, os.WriteFile(filepath.Join(dir, of), []byte(text), 0o600))
		}
		_, failed := sourced(t, "", "1", "ROCEC_WHY=boot ROCEC_STEP="+dir+"\n"+string(lib), "/etc/nvue.d/startup.yaml", file)
		assert.False(t, failed, name)
		got, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, c.want, string(got), name)
	}
}

// TestScriptsOfSteps: the scripts of steps pass the linter of shells.
func TestScriptsOfSteps(t *testing.T) {
	files, err := filepath.Glob("steps/*.sh")
	require.NoError(t, err)
	require.Len(t, files, 8)
	lib := map[string][]byte{}
	for _, f := range files {
		lib[filepath.Base(f)], err = os.ReadFile(f)
		require.NoError(t, err)
	}
	for _, body := range []string{"apply.sh", "loaded.sh", "keep.sh", "undo.sh", "back.sh"} {
		script := bytes.Join([][]byte{lib["nv.sh"], lib["go.sh"], lib["since.sh"], lib[body]}, nil)
		cmd := exec.Command(machinetest.Need(t, "shellcheck"), "-s", "sh", "-e", "SC2034,SC2317,SC2329", "-") // functions and variables that another script uses
		cmd.Stdin = bytes.NewReader(script)
		out, err := cmd.CombinedOutput()
		assert.NoError(t, err, "%s: %s", body, out)
	}
}

// TestKeep: a revision that still waits after it was confirmed would be undone, whatever nv printed.
func TestKeep(t *testing.T) {
	machinetest.Long(t)
	body, err := os.ReadFile("steps/keep.sh")
	require.NoError(t, err)
	step := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(step, "rev"), []byte("3\n"), 0o600))
	for state, fails := range map[string]bool{"confirm": true, "applied": false, "applied_and_saved": false, "inactive": true} {
		_, failed := sourced(t, `{"2":{"state":"inactive"},"3":{"state":"`+state+`"}}`, "0", "ROCEC_STEP="+step+"\n"+string(body))
		assert.Equal(t, fails, failed, state)
	}
}

// TestWentBack: if NVUE has restored the old content by a revision of another number, no undo is needed. A revision with other content
// belongs to others.
func TestWentBack(t *testing.T) {
	body, err := os.ReadFile("steps/undo.sh")
	require.NoError(t, err)
	const before = "- set:\n    qos: {}\n"
	for tree, fails := range map[string]bool{before: false, "- set:\n    qos:\n      pfc: {}\n": true} {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"step/rev": "3\n", "step/prev": "2\n", "step/said": "\n", "step/applying": "yes\n", "live/nvue/applied": before,
			"tree": tree, "revisions": `{"2":{"state":"inactive"},"3":{"state":"inactive"},"4":{"state":"applied"}}`,
			"nv": "#!/bin/sh\ncase $* in\n*revision*) cat " + dir + "/revisions ;;\n*show*) cat " + dir + "/tree ;;\n*) exit 1 ;;\nesac\n",
		} {
			require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
		}
		env := "PATH=" + dir + ":$PATH ROCEC_WHY=failed ROCEC_STEP=" + dir + "/step ROCEC_LIVE=" + dir + "/live\n"
		_, failed := sourced(t, "", "1", env+"startup="+dir+"/none\n"+string(body))
		assert.Equal(t, fails, failed, tree)
	}
}
