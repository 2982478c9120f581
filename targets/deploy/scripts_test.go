package deploy

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"
)

// scripts are everything that runs on a device, by name.
var scripts = map[string]string{
	"become-root": becomeRoot, "read": readPrelude + "file x\nquery x y\n", "read-alone": readAlone,
	"lock": lockVerb, "check": checkVerb, "upload": uploadVerb, "precheck": precheckVerb, "backup": backupVerb,
	"commit": commitVerb, "activate": activateVerb, "settle": settledVerb, "state": stateVerb, "restore": restoreVerb,
	"release": releaseVerb,
}

// have finds a tool of the tests, or fails where it has to be: the tests are worth little without it.
func have(t *testing.T, tool, debian string) string {
	path, err := exec.LookPath(tool)
	if err != nil {
		if os.Getenv("CI") != "" || os.Geteuid() == 0 {
			t.Fatalf("%s is missing: apt-get install %s", tool, debian)
		}
		t.Skipf("%s is missing: apt-get install %s", tool, debian)
	}
	return path
}

func TestScriptsArePOSIX(t *testing.T) {
	dash, shellcheck := have(t, "dash", "dash"), have(t, "shellcheck", "shellcheck")
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := exec.Command(dash, "-n")
			c.Stdin = strings.NewReader(script)
			out, err := c.CombinedOutput()
			require.NoError(t, err, string(out))
			// SC2034, SC2317, SC2329: what the prelude defines and not every verb uses. SC2154: B comes after readPrelude.
			c = exec.Command(shellcheck, "-s", "sh", "-S", "style", "-e", "SC2034,SC2317,SC2329,SC2154", "-")
			c.Stdin = strings.NewReader("#!/bin/sh\n" + script)
			out, err = c.CombinedOutput()
			require.NoError(t, err, string(out))
		})
	}
}

// What devices are sure to have; the lab simulates these and no more.
var allowed = strings.Fields(`cat cp mv ln rm rmdir mkdir ls chmod chown stat sync touch sha256sum readlink basename dirname
	head tail wc tr cut sort grep id hostname uname date sleep tee mktemp df timeout sh sudo
	[ : test printf echo read set shift export exit exec eval return continue break true false`)

// The reader's own: nothing here can write.
var looking = strings.Fields(`head stat timeout sh printf [ export exec cat id sudo echo`)

// commands lists what a script calls, its own functions aside, and the files it redirects output to.
func commands(t *testing.T, script string) (calls, writes []string) {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(script), "")
	require.NoError(t, err)
	own := map[string]bool{}
	syntax.Walk(f, func(n syntax.Node) bool {
		if d, ok := n.(*syntax.FuncDecl); ok {
			own[d.Name.Value] = true
		}
		return true
	})
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			// must and save take the command to run as arguments of theirs.
			args := n.Args
			if len(args) > 0 && args[0].Lit() == "must" {
				args = args[2:]
			}
			if len(args) > 0 && args[0].Lit() != "" && !own[args[0].Lit()] {
				calls = append(calls, args[0].Lit())
			}
		case *syntax.Redirect:
			var b strings.Builder
			require.NoError(t, syntax.NewPrinter().Print(&b, n.Word))
			if n.Op != syntax.RdrIn && n.Op != syntax.DplOut {
				writes = append(writes, b.String())
			}
		}
		return true
	})
	return calls, writes
}

func TestScriptsCallOnlyWhatDevicesHave(t *testing.T) {
	for name, script := range scripts {
		calls, _ := commands(t, script)
		require.NotEmpty(t, calls)
		require.Subset(t, allowed, calls, name)
	}
}

// The reader's text itself is the proof that it cannot write: no command that could, no redirection but to nowhere.
func TestReaderCannotWrite(t *testing.T) {
	for _, script := range []string{becomeRoot, readRoot, readPrelude, readAlone} {
		calls, writes := commands(t, script)
		for _, c := range calls {
			require.Contains(t, append(looking, "eval"), c)
		}
		for _, w := range writes {
			require.Equal(t, "/dev/null", w)
		}
	}
}
