package device

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device/scripts"
)

// allScripts has all scripts that run on a device, by name, in the form in which they are sent. It also returns the findings of
// shellcheck that do not apply to them.
var allScripts = map[string]struct {
	text   string
	silent string
}{
	"become-root":   {becomeRoot, "SC2086"}, // sudo is empty for root
	"by-password":   {becomeRootByPassword, ""},
	"asks-gate":     {asksGate, ""},
	"try-password":  {tryPassword, ""},
	"stage":         {stage, ""},
	"unstage":       {unstage, ""},
	"take-staged":   {takeStaged, ""},
	"become-reader": {becomeReader, ""},
	"read":          {scripts.Sections(scripts.Read(), "mark", "state /etc\ngiven x y\nfile x\nquery x y\n"), ""},
	"records":       {scripts.Sections(scripts.Held(), "mark", scripts.Records()), ""},
	"held":          {scripts.Sections(scripts.Held(), "mark", "state /etc\nquery x y\nheld x\n"), ""},
	"read-alone":    {readAlone, ""},
	"read-given":    {runGiven, ""},
	"verb-and-read": {verbAndRead, ""},
	"one-by-one":    {scripts.OneByOne, ""},
	// SC2034, SC2317, SC2329: shared parts that some scripts do not use.
	"begin":  {scripts.Begin(testRun.Name, testRun.Key), "SC2034,SC2317,SC2329"},
	"call":   {calling(testRun, ""), "SC2034,SC2317,SC2329"},
	"unlock": {scripts.Unlock(), "SC2034,SC2317,SC2329"},
	"sweep":  {scripts.Sweep(testRun.Name), "SC2034,SC2317,SC2329"},
	"mark":   {scripts.Mark(testRun.Name, testRun.Key), "SC2034,SC2317,SC2329"},
	"put":    {scripts.PutGate(), "SC2034,SC2317,SC2329"},
	"take":   {scripts.TakeGate(), "SC2034,SC2317,SC2329"},
	// SC2016: the shell that setsid starts expands the text in single quotes.
	"run": {scripts.Run(testRun.Name, testRun.Key), "SC2034,SC2317,SC2329,SC2016"},
}

var testRun = deploy.Run{Name: "txn-1", Key: "abcd", Owner: "alice@ws7"}

func TestScriptsArePOSIX(t *testing.T) {
	dash, shellcheck := machinetest.Need(t, "dash"), machinetest.Need(t, "shellcheck")
	for name, s := range allScripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := exec.Command(dash, "-n")
			c.Stdin = strings.NewReader(s.text)
			out, err := c.CombinedOutput()
			require.NoError(t, err, string(out))
			args := []string{"-s", "sh", "-S", "style", "-"}
			if s.silent != "" {
				args = append([]string{"-e", s.silent}, args...)
			}
			c = exec.Command(shellcheck, args...)
			c.Stdin = strings.NewReader("#!/bin/sh\n" + s.text)
			out, err = c.CombinedOutput()
			require.NoError(t, err, string(out))
		})
	}
}

// allowed lists the commands that the scripts may use on a device. They are the builtins of dash and the programs of Debian's essential
// packages coreutils, grep and util-linux (setsid, flock: since 2.22, in Cumulus Linux 3.x too). systemd-run, systemctl, sudo and
// logger may be missing or old; in this case the scripts use another way, report it, or write no log. The list lacks Python, because the scripts check for
// it before they use it.
var allowed = strings.Fields(`[ : break command continue echo eval exec exit export false kill printf read return set shift test trap true umask wait
	base64 cat chmod chown cp cut date df env head id ln mkdir mv rm sha256sum sleep stat sync tail timeout tr
	setsid flock sh sudo systemctl systemd-run logger`)

// looking lists the commands that a reader may call. None of them can write.
var looking = strings.Fields(`[ : continue echo eval exec exit export printf read return cat cut head id stat tail timeout sh sudo true`)

// wrappers run another command, which follows the given number of their own arguments.
var wrappers = map[string]int{"must": 1, "exec": 0, "timeout": 1, "setsid": 0, "env": 1}

// callsOf lists the commands that a script calls, without its own functions, and the files to which it redirects output.
func callsOf(t *testing.T, script string) (calls, writes []string) {
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
			args := n.Args
			for len(args) > 0 && args[0].Lit() != "" {
				name := args[0].Lit()
				if !own[name] {
					calls = append(calls, name)
				}
				more, wraps := wrappers[name]
				if !wraps {
					break
				}
				args = args[min(1+more, len(args)):]
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
	for name, s := range allScripts {
		calls, _ := callsOf(t, s.text)
		require.NotEmpty(t, calls)
		if name == "put" { // it reports a device without sudo
			calls = slices.DeleteFunc(calls, func(call string) bool { return call == "visudo" })
		}
		require.Subset(t, allowed, calls, name)
	}
}

// The script of a read cannot write: it calls no command that can write, and redirects output only to /dev/null.
func TestReaderCannotWrite(t *testing.T) {
	for _, name := range []string{"become-reader", "read-given", "read", "read-alone", "records"} {
		calls, writes := callsOf(t, allScripts[name].text)
		require.Subset(t, looking, calls, name)
		for _, w := range writes {
			require.Equal(t, "/dev/null", w)
		}
	}
}
