package pages

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/docs/docstest"
	"github.com/rocec/rocec/lang/langtest/machinetest"
)

func TestMain(m *testing.M) {
	machinetest.Hasten()
	machinetest.Parallel(4) // most commands wait for devices
	os.Exit(m.Run())
}

// Pages that lead a person through commands are run from top to bottom, in an empty folder or in one with examples. A fence whose
// language is followed by the name of a file is that file. In a fence "console", a line that begins with "$ " is a command for the shell,
// and the lines after it are its output. There "…" matches any text in a line, a line of only "…" matches any lines, and "[exit N]" is
// the exit status. A fence "console device" is for real devices. It runs on the lab where possible, and its output is not compared. In
// the README, TestDocsReadme checks the fences that are shown in full, and this test those with "console short".
func TestPages(t *testing.T) {
	t.Parallel()
	for _, page := range []struct {
		name     string
		folder   string            // the example that is the working folder
		examples []string          // the working folder has a folder examples with these
		large    bool              // the page runs apply on the largest labs
		before   map[string]string // by heading: the commands that a person has run before that fence
		shown    bool              // every command shows all its output; otherwise a command without shown output may print anything
	}{
		{name: "tutorial", shown: true},
		{name: "../README", examples: []string{"ring-pfc-loop"}},
		{name: "reading", examples: []string{"pods-ebgp", "rack-v1-pfc"}, shown: true},
		{name: "whatif", examples: []string{"clos-v2-ecn", "ring-pfc-loop"}, shown: true},
		{name: "fieldtest", large: true},
		{name: "lab", folder: "day-two"},
		{name: "oncall", folder: "day-two", before: map[string]string{
			"First, whatever you see": "rocec apply --lab --auto-approve --soak 1s >/dev/null",
		}},
		{name: "storm", folder: "day-two", before: map[string]string{
			"Without logging in": `for n in one:20 two:30 three:40; do d=${n%:*}/leaf1 && mkdir -p $d && echo leaf1 >$d/hostname && ` +
				`printf 'uptime %s.00 1.00\nport swp1\nHwIfInPfc3Pkt: 5\nHwIfOutPfc3Pkt: 0\n' ${n#*:} >$d/counters.txt && ` +
				`rocec collect ${n%:*} -o ${n%:*}.tar.gz || exit; done`,
		}},
		{name: "nvue", examples: []string{"mixed-releases", "rack-v1-pfc"}, large: true},
		{name: "verify", examples: []string{"clos-v2-ecn", "gpu-pod", "rack-v1-pfc"}, large: true, before: map[string]string{
			"Traffic": "rocec apply --lab --auto-approve --soak 1s",
		}},
		{name: "apply", folder: "rack-v1-pfc", before: map[string]string{
			"When a NIC or a host leaves": `rocec apply --lab --auto-approve --soak 1s >/dev/null && sed -i 's/members .*/members = ["store[1-4]"]/' fabric.hcl`,
		}},
	} {
		t.Run(filepath.Base(page.name), func(t *testing.T) {
			t.Parallel() // the commands wait for devices most of the time
			if testing.Short() && (page.folder != "" || page.examples != nil) {
				t.Skip("applies to labs")
			}
			if page.large {
				machinetest.Long(t)
			}
			dir := t.TempDir()
			if page.folder != "" {
				require.NoError(t, os.CopyFS(dir, os.DirFS("../../../examples/"+page.folder)))
			}
			for _, example := range page.examples {
				require.NoError(t, os.CopyFS(filepath.Join(dir, "examples", example), os.DirFS("../../../examples/"+example)))
			}
			s := &docstest.Typist{Top: dir, Dir: dir, Shown: page.shown, Rocec: machinetest.Rocec(t)}
			for _, f := range docstest.Fences(t, filepath.Join("../../../docs", page.name+".md")) {
				switch {
				case f.Language == "console" && (f.Options == "" || f.Options == "short" || page.name == "tutorial"):
					// A plan for a lab is not saved: apply.md.
					if before := page.before[f.Heading]; before != "" {
						s.Run(t, docstest.Fence{Text: "$ " + before})
					}
					s.Run(t, f)
				case f.Language != "console" && f.IsFile():
					require.NoError(t, os.WriteFile(filepath.Join(dir, f.Options), []byte(f.Text), 0o644))
				}
			}
			assert.Positive(t, s.Ran)
		})
	}
}
