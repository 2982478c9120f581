package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/targets/deploy"
)

// If a file that the person names is a foreign link to a target outside of its folder, messages show the place but no text. A link inside
// the folder, a file in a folder behind a link, and the file itself are shown.
func TestNamedLinksAreHidden(t *testing.T) {
	const secret = "made-up-secret"
	texts := map[string]string{
		"shadow":     "root:*:" + secret + ":0:99999:7:::\n",
		"undeclared": "made-up-secret = 1\n",
		"a value":    "a = " + secret + "\n",
		"typed":      "n = \"" + secret + "\"\n",
		"conf":       "link.pause.port_list = " + secret + "\n",
		"nvue":       "- set:\n    qos:\n      roce:\n        mode: " + secret + "\n",
		"sonic":      "{\"PORT_QOS_MAP\": {\"Ethernet0\": {\"pfc_enable\": \"" + secret + "\"}}}\n",
		"cables":     "a,b,c,d\n" + secret + ",swp1\n",
	}
	fabric := "fabric \"f\" {}\nvariable \"a\" {\n  default = 1\n}\nvariable \"n\" {\n  type    = number\n  default = 1\n}\n"
	verbs := map[string][]string{
		"--var-file":      {"validate", "fabric", "--var-file"},
		"as JSON":         {"validate", "--format", "json", "fabric", "--var-file"},
		"for CI":          {"validate", "--format", "github", "fabric", "--var-file"},
		"as SARIF":        {"validate", "--format", "sarif", "fabric", "--var-file"},
		"verbose":         {"validate", "--verbose", "fabric", "--var-file"},
		"plan":            {"plan", "-C", "fabric", "--lab=new", "--var-file"},
		"--device-config": {"validate", "--device-config"},
		"devices, JSON":   {"validate", "--format", "json", "--device-config"},
		"init":            {"init", "--from", "csv"},
	}
	names := map[string]bool{ // whether text is hidden
		"in/itself": false, "in/inside": false, "linked/itself": false, "in/absolute": false, "in/twice": true, "in/out": true, "in/outabs": true,
	}
	shown := map[string]int{}
	for kind, text := range texts {
		dir := t.TempDir()
		t.Chdir(dir)
		for name, text := range map[string]string{"elsewhere/f": text, "in/itself": text, "fabric/fabric.hcl": fabric} {
			require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
			require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
		}
		for link, to := range map[string]string{
			"in/inside": "itself", "in/absolute": filepath.Join(dir, "in", "itself"), "linked": "in", "in/twice": "out", "in/out": "../elsewhere/f",
			"in/outabs": filepath.Join(dir, "elsewhere", "f"),
		} {
			require.NoError(t, os.Symlink(to, link))
		}
		for verb, args := range verbs {
			for name, hidden := range names {
				args := append(args[:len(args):len(args)], name)
				if verb == "init" {
					args = append(args, "new")
					require.NoError(t, os.RemoveAll("new"))
				}
				out, code := offline(t, args...)
				flat := strings.Join(strings.Fields(out), " ")
				if hidden {
					assert.NotContains(t, flat, secret, "%s, %s, %s", verb, name, kind)
					if code == exit.Errors && !strings.Contains(verb, "CI") {
						assert.Contains(t, flat, name, "%s, %s, %s", verb, name, kind)
						assert.Contains(t, flat, "symbolic link that leads out of its folder", "%s, %s, %s", verb, name, kind)
					}
				} else if strings.Contains(flat, secret) {
					shown[verb]++
					assert.NotContains(t, flat, "symbolic link", "%s, %s, %s", verb, name, kind)
				}
			}
		}
	}
	for verb := range verbs { // without a link, this command shows text
		assert.Positive(t, shown[verb], verb)
	}
}

// A var file behind a link is an input of a saved plan, although no message shows its text.
func TestHiddenFilesCount(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.MkdirAll("fabric", 0o777))
	require.NoError(t, os.WriteFile("fabric/fabric.hcl", []byte("fabric \"f\" {}\nvariable \"a\" {\n  default = 1\n}\n"), 0o666))
	require.NoError(t, os.Symlink("../vars", "fabric/v.hclvars"))
	sums := map[string]bool{}
	for _, text := range []string{"a = 1\n", "a = 2\n"} {
		require.NoError(t, os.WriteFile("vars", []byte(text), 0o666))
		a := newApp(&person.Person{Getenv: func(string) string { return "" }})
		a.VarFiles = []string{"fabric/v.hclvars"}
		f, err := a.Load("fabric")
		require.NoError(t, err)
		require.Contains(t, f.Hidden, "fabric/v.hclvars")
		require.NotContains(t, f.Source.Files, "fabric/v.hclvars")
		m, err := a.given(nil, false).Save("plan", "fabric", f, &deploy.Plan{}, nil)
		require.NoError(t, err)
		sums[m.Inputs] = true
	}
	require.Len(t, sums, 2)
}

// A pipe of the shell, such as <(sops -d vars), is a link of the system, not of another user.
func TestPipesOfTheShellAreShown(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	_, err = w.WriteString("a = 1\n")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	data, out, err := globals.ReadNamed(fmt.Sprintf("/dev/fd/%d", r.Fd()))
	require.NoError(t, err)
	require.Equal(t, "a = 1\n", string(data))
	require.False(t, out)
}
