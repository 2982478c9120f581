package diag

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCommand(t *testing.T) {
	run, dev := "20260102t030405z-ab12", Arg("DEVICE", "leaf1")
	for _, tc := range []struct{ got, want string }{
		{Rocec("confirm", Arg("RUN", run), Flag("--target", Arg("DEVICE", "leaf[1-3]"))), "rocec confirm " + run + " --target 'leaf[1-3]'"},
		{Rocec("resume --abandon", Flag("--run", Arg("RUN", run)), dev), "rocec resume --abandon --run " + run + " leaf1"},
		{Rocec("plan", Path("DIR", "-x")), "rocec plan ./-x"},
		{Rocec("plan", Flag("--alone"), Path("DIR", "it's; rm -rf ~")), `rocec plan --alone 'it'\''s; rm -rf ~'`},
		{Rocec("apply", Flag("--plan", Path("FILE", "-p")), Path("DIR", "a b")), "rocec apply --plan ./-p 'a b'"},
		{Rocec("verify --gids", Arg("HOST", "-h"), dev, Flag("--target", dev)), "rocec verify --gids --target leaf1 -- -h leaf1"},
		{Rocec("plan", Flag("--target", Arg("DEVICE", "-x"))), "rocec plan --target=-x"},
		{Rocec("plan", Path("DIR", "")), "rocec plan ''"},
		{Rocec("lab reset", Flag("--lab=", Path("DIR", "/a b"))), "rocec lab reset --lab='/a b'"},
		{Rocec("lab reset", Flag("--lab=", Path("DIR", "a\rb"))), "rocec lab reset --lab=DIR (`ls -b` shows the name of DIR)"},
		{Command("cd", Path("DIR", "x\x1b[2J")), "cd DIR (`ls -b` shows the name of DIR)"},
		{Command("cd", Path("DIR", "x\n::add-mask::y")), "cd DIR (`ls -b` shows the name of DIR)"},
		{Command("cd", Path("DIR", "a ::add-mask::y")), "cd DIR (`ls -b` shows the name of DIR)"},
		{Rocec("plan", Flag("--target", Arg("DEVICE", "a\u202eb"))), "rocec plan --target DEVICE"},
		{Rocec("plan", Path("DIR", strings.Repeat("x", mostPath+1))), "rocec plan DIR (`ls -b` shows the name of DIR)"},
		{Rocec("rollback", Kind("RUN")), "rocec rollback RUN"},
	} {
		assert.Equal(t, tc.want, tc.got)
	}
}

// pasted returns the words that a shell reads from command lines. A shell function that prints its arguments replaces their programs.
func pasted(t testing.TB, lines []string) [][]string {
	t.Helper()
	var script strings.Builder
	script.WriteString("p() { printf '%s\\n' \"$@\"; printf '\\001\\n'; }\n")
	for _, l := range lines {
		script.WriteString(l + "\n")
	}
	cmd := exec.Command("sh", "-c", script.String())
	cmd.Dir = t.TempDir() // an empty folder, so that no pattern matches a file
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	var words [][]string
	for block := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x01\n"), "\x01\n") {
		words = append(words, strings.Split(strings.TrimSuffix(block, "\n"), "\n"))
	}
	return words
}

// shellWords are names that have a special meaning in a shell unless they are quoted.
var shellWords = []string{
	"", "a", "a b", " a", "a  b ", "'", "''", "a'b", `"`, `\`, `\'`, "$(touch x)", "`touch x`", "$HOME",
	"${IFS}", "~", "~root", "*", "?", "[a-z]*",
	"{a,b}", "a;b", "a&b", "a|b", "a>b", "<a", "(a)", "!x", "!!", "#a", "a#b", "-", "--", "-x", "--run",
	"--run=x", "=ls", "a=b", "é", "漢字", "%s", `a\nb`,
	"leaf[1-4]", "-$(id)", "x;rocec rollback y", "\\", "a\\",
}

func TestPastedCommands(t *testing.T) {
	var lines []string
	var want [][]string
	add := func(line string, words ...string) {
		lines, want = append(lines, line), append(want, words)
	}
	for _, w := range shellWords {
		path := w
		if strings.HasPrefix(w, "-") {
			path = "./" + w
		}
		add(Command("p", Path("FILE", w)), path)
		add(Command("p", Flag("--plan", Path("FILE", w)), Path("DIR", w)), "--plan", path, path)
		add(Command("p", Flag("--lab=", Path("FILE", w))), "--lab="+path)
		if strings.HasPrefix(w, "-") {
			add(Command("p", Arg("A", w), Flag("-f"), Arg("A", "b")), "-f", "--", w, "b")
			add(Command("p", Flag("--run", Arg("A", w))), "--run="+w)
			continue
		}
		add(Command("p", Arg("A", w), Flag("--run", Arg("A", w)), Arg("A", "b")), w, "--run", w, "b")
	}
	assert.Equal(t, want, pasted(t, lines))
}

func FuzzCommand(f *testing.F) {
	for _, w := range append(slices.Clone(shellWords), "a\nb", "\x1b", "\xff", "\u202e", "::add-mask::x", "##[group]") {
		f.Add(w)
	}
	f.Fuzz(func(t *testing.T, name string) {
		line := Command("p", Path("FILE", name))
		require.True(t, utf8.ValidString(line))
		require.Equal(t, Escape(line), line)
		if strings.HasSuffix(line, "`ls -b` shows the name of FILE)") {
			require.NotEqual(t, true, pasteable(name))
			return
		}
		want := name
		if strings.HasPrefix(name, "-") {
			want = "./" + name
		}
		require.Equal(t, [][]string{{want}}, pasted(t, []string{line}))
	})
}
