package main

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var whole = flag.Bool("whole", false, "try all mutants")

// mutant is a mistake in the gate, or in a check that it calls. The tests of the package of its file must find it.
type mutant struct{ file, old, new string }

const (
	verifyGo = "cmd/rocec-txn/verify.go"
	verbsGo  = "cmd/rocec-txn/verbs.go"
	knownGo  = "cmd/rocec-txn/known.go"
	mainGo   = "cmd/rocec-txn/main.go"
	orderGo  = "targets/deploy/order/order.go"
	switchGo = "targets/cumulus/steps/files.go"
	hostGo   = "targets/nic/steps/file.go"
	namesGo  = "targets/nic/steps/names.go"
	sonicGo  = "targets/sonic/steps/check.go"
	treeGo   = "targets/nvue/steps/check.go"
	backGo   = "targets/deploy/device/scripts/goback.go"
)

// mutants has a mistake for each check. It lacks those that change nothing: a symbolic link has the mode 0777, so the mode alone refuses
// it; each function that makes a step from a name returns the step of that name, and a step without an undo, or with another content, has
// another name than the one that goes back; a statement with another heading has another text; and only a damaged line of the notes lacks
// a time.
var mutants = []mutant{
	// The order: each step of verify.
	{verifyGo, `	signer, err := g.signed(e)
	if err != nil {`, `	signer, err := g.signed(e)
	if false {`},
	{verifyGo, `left <= 0 || `, ``},
	{verifyGo, `left <= 0`, `left < 0`},
	{verifyGo, ` || left > order.MaxTime`, ``},
	{verifyGo, `!slices.Contains(machines, c.Machine)`, `len(machines) > 9`},
	{verifyGo, `c.Run != s.Run`, `false`},
	{verifyGo, `if err := wellFormed(e, c); err != nil {`, `if err := wellFormed(e, c); false && err != nil {`},
	{verifyGo, `v.contents[commands.Sum(content)] = content`, `v.contents[c.Files[0].Target] = content; _ = commands.Sum`},

	// The signature.
	{verifyGo, `g.trusted(g.signers)`, `os.ReadFile(g.signers)`},
	{
		verifyGo, `if who, err = signers.Find(sig, g.now()); err != nil {`,
		`if who, err = signers.Find(sig, g.now()); err != nil && who != "" {`,
	},
	{verifyGo, `signers.Find(sig, g.now())`, `signers.Find(sig, time.Unix(0, 0))`},
	{verifyGo, `signers.Find(sig, g.now())`, `signers.Find(sig, time.Unix(1<<40, 0))`},
	{verifyGo, `err = sig.Verify(e.Statement, sshsig.RoleDevice)`, `_ = sig.Verify(e.Statement, sshsig.RoleDevice)`},
	{verifyGo, `sig.Verify(e.Statement, sshsig.RoleDevice)`, `sig.Verify(e.Statement, sig.Namespace)`},
	{verifyGo, `sig.Verify(e.Statement,`, `sig.Verify(e.Change,`},

	// Whom the gate believes.
	{verifyGo, `stat.Uid != g.owner || `, `stat.Uid == 1<<31 || `},
	{verifyGo, `0o022`, `0o002`},
	{verifyGo, `0o022`, `0o020`},
	{verifyGo, `if at == g.top {`, `if true {`},
	{verifyGo, `for at := name; ; at = filepath.Dir(at) {`, `for at := filepath.Dir(name); ; at = filepath.Dir(at) {`},
	{verifyGo, `if at == g.top {`, `if filepath.Dir(at) == g.top {`},
	{verifyGo, `8<<20`, `9<<20`},
	{verifyGo, `len(fields) > 1 {`, `len(fields) > 0 {`},
	{verifyGo, `DecodeString(fields[1]); err == nil {`, `DecodeString(fields[1]); err == nil || true {`},
	{verifyGo, `if len(out) == 0 {`, `if false {`},
	{verifyGo, `line, err := os.ReadFile(name)
		if err != nil {`, `line, err := os.ReadFile(name)
		if false {`},

	// The forms of values.
	{verifyGo, `{1,300}`, `{1,}`},
	{verifyGo, "isNote   = form(`([^\\pC]", "isNote   = form(`(?s)(."},
	{verifyGo, "isLines  = form(`[^\\pC]*`)", "isLines  = form(`(?s).*`)"},
	{verifyGo, `absent|[0-9a-f]{64}`, `[^\n]*`},
	{verifyGo, "isState  = form(`[A-Za-z0-9_]", "isState  = form(`[A-Za-z0-9_./]"},
	{verifyGo, `0o644, 0o755}`, `0o644, 0o755, 0o4755}`},
	{verifyGo, `1 << 20`, `1 << 21`},
	{verifyGo, `40 * 24`, `41 * 24`},
	{verifyGo, `!isRun(c.Run) || `, ``},
	{verifyGo, `!isKey(c.Key) || `, ``},
	{verifyGo, `!isGiven(c.Digest) || `, ``},
	{verifyGo, ` || !isNote(c.Note)`, ``},
	{verifyGo, `!isText(c.Owner) || `, ``},
	{verifyGo, `len(e.About) > mostAbout || `, ``},
	{verifyGo, ` || !isLines(strings.ReplaceAll(e.About, "\n", ""))`, ` || strings.Contains(c.Owner, "\n")`},
	{verifyGo, `e.First < 1 || `, ``},
	{verifyGo, `e.First > mostSeconds || `, ``},
	{verifyGo, `e.Later < 1 || `, ``},
	{verifyGo, `e.Later > mostSeconds || `, ``},
	{verifyGo, `c.Need < 0 || `, ``},
	{verifyGo, ` || c.Need > 1<<20`, ``},
	{verifyGo, `len(c.Files), `, ``},
	{verifyGo, `len(c.Lives), `, ``},
	{verifyGo, `len(c.Steps), `, ``},
	{verifyGo, `, len(e.Contents)) > order.MostOf`, `) > order.MostOf`},
	{verifyGo, `!isTarget(f.Base) || `, ``},
	{verifyGo, `!isTarget(f.Target) || `, ``},
	{verifyGo, ` || !slices.Contains(modes, f.Mode)`, ``},
	{verifyGo, `if !isState(l.State) {`, `if false {`},
	{verifyGo, `n < 0 || `, ``},
	{verifyGo, ` || n >= len(c.Lives)`, ``},

	// The runs that committed.
	{verifyGo, `case name == run && ordered:`, `case false:`},
	{verifyGo, `name == run && ordered`, `name == run`},
	{verifyGo, `name != run && until`, `until`},
	{verifyGo, `until > g.now().Unix()`, `until > 0`},
	{verifyGo, `g.now().Add(order.MaxTime).Unix()`, `g.now().Add(1).Unix()+1`},
	{verifyGo, `syscall.LOCK_EX`, `syscall.LOCK_SH`},
	{verifyGo, `|syscall.O_NOFOLLOW`, ``},
	{verifyGo, `syscall.O_NOFOLLOW, 0o600`, `syscall.O_NOFOLLOW, 0o644`},
	{verifyGo, `if _, err := os.Lstat(filepath.Join(g.state, "txn-"+run)); err != nil {`, `if g.state == "" {`},
	{verifyGo, `errors.Join(f.Truncate(int64(len(text))), f.Sync())`, `errors.Join(f.Sync())`},
	{verifyGo, `return g.note(f, others, run)`, `return g.note(f, others, "none")`},

	// The verbs.
	{verbsGo, `	if v.change.Remove {`, `	if false {`},
	{verbsGo, `	f, _, err := g.noted(v.change.Run, true)
	if err != nil {`, `	f, _, err := g.noted(v.change.Run, true)
	if f == nil {`},
	{verbsGo, `	f, others, err := g.noted(v.change.Run, true)
	if err != nil {`, `	f, others, err := g.noted(v.change.Run, true)
	if f == nil {`},
	{verbsGo, `f, _, err := g.noted(v.change.Run, true)`, `f, _, err := g.noted(v.change.Run, false)`},
	{verbsGo, `f, others, err := g.noted(v.change.Run, true)`, `f, others, err := g.noted(v.change.Run, false)`},
	{verbsGo, `" + v.signer}`, `" + v.change.Owner}`},
	{verbsGo, `[]string{v.change.Owner}`, `[]string{v.signer}`},
	{verbsGo, `if err := g.note(f, others, v.change.Run); err != nil {`, `if err := g.note(f, others, "none"); err != nil {`},
	{verbsGo, `info.Mode().Perm()&0o004 == 0`, `info.Mode().Perm()&0o040 == 0`},
	{verbsGo, `err = g.alone(path.Dir(args[0]))`, `_ = path.Dir(args[0])`},
	{verbsGo, `	parts, err := g.parts(v)
	if err != nil {`, `	parts, err := g.parts(v)
	if false {`},
	{verbsGo, `if !v.change.Remove {`, `if v == nil {`},
	{verbsGo, ` && !os.IsNotExist(err) {
			return err`, ` && false {
			return err`},
	{verbsGo, ` && !os.IsNotExist(err) {
			return err`, ` {
			return err`},
	{verbsGo, `args[3] == "commit"`, `args[3] == "confirm"`},
	{verbsGo, `if err := g.use(args[0]); err != nil {`, `if err := g.use(args[0]); false && err != nil {`},
	{verbsGo, `syscall.O_NOFOLLOW|`, ``},
	{verbsGo, `|syscall.O_NONBLOCK`, ``},
	{verbsGo, ` || !info.Mode().IsRegular()`, ` || info == nil`},
	{verbsGo, `maxFile+1`, `maxFile`},
	{verbsGo, `io.LimitReader(f, maxFile+1)`, `f`},
	{verbsGo, `scripts.Quote(q.Cmd)`, `q.Cmd`},
	{verbsGo, `scripts.Quote(string(q.Stdin))`, `string(q.Stdin)`},

	// Their arguments.
	{verbsGo, `{takes: []func(string) bool{knownPath}`, `{takes: []func(string) bool{isFolder}`},
	{verbsGo, `{takes: []func(string) bool{isMark, isName}`, `{takes: []func(string) bool{isText, isName}`},
	{verbsGo, `{takes: []func(string) bool{isFolder}`, `{takes: []func(string) bool{isText}`},
	{verbsGo, `{isMark, isRun, isSum}`, `{isMark, isRun, isText}`},
	{verbsGo, `{isMark, isRun, isSum}`, `{isMark, isText, isSum}`},
	{verbsGo, `{isMark, isRun}`, `{isMark, isText}`},
	{verbsGo, `{isMark, isKept}`, `{isMark, isText}`},
	{verbsGo, `{isRun, isKey, isGiven, isVerb, isText, isGiven}`, `{isRun, isKey, isGiven, isText, isText, isGiven}`},
	{verbsGo, `{isRun, isKey, isGiven, isVerb, isText, isGiven}`, `{isRun, isKey, isGiven, isVerb, isText, isText}`},
	{verbsGo, `{isRun, isKey, isGiven, isSeconds}`, `{isRun, isKey, isGiven, isText}`},
	{verbsGo, `{isHolder, isText}`, `{isText, isText}`},
	{verbsGo, `{isRun, isText}`, `{isText, isText}`},
	{verbsGo, `{isRun, isKey, isText, isSeconds, isOver}`, `{isRun, isKey, isText, isText, isOver}`},
	{verbsGo, `{isRun, isKey, isText, isSeconds, isOver}`, `{isRun, isKey, isText, isSeconds, isText}`},
	{verbsGo, `{isRun, isKey, isOver}`, `{isRun, isText, isOver}`},
	{verbsGo, `[A-Z0-9]{20,40}`, `.{20,40}`},
	{verbsGo, `[1-9][0-9]{0,7}`, `[0-9]+`},
	{verbsGo, `[^-\pC]`, `[^\pC]`},
	{verbsGo, `[^\pC]{0,500}`, `[^\pC]*`},
	{verbsGo, `takes(name) && path.Clean(name) == name`, `takes(name) && path.IsAbs(name)`},
	{verbsGo, `n <= mostSeconds`, `n <= 9*mostSeconds`},
	{verbsGo, `len(name) <= 4096 && `, ``},
	{verbsGo, "`^(?:` + pattern + `)$`", "pattern"},
	{mainGo, `len(args) < len(v.takes) || `, ``},
	{mainGo, ` && !v.more`, ``},
	{mainGo, `len(args) > len(v.takes) && !v.more`, `false`},
	{mainGo, `!takes(arg)`, `!takes(arg) && i < len(v.takes)`},
	{mainGo, `v.takes[min(i, len(v.takes)-1)]`, `v.takes[0]`},
	{mainGo, `len(args) == 0`, `false`},
	{mainGo, `if !known {`, `if !known && len(args) > 9 {`},

	// What surrounds a script.
	{mainGo, `	os.Clearenv()
`, ``},
	{
		mainGo, `"/etc/sudoers.d/rocec-txn", order.Signers, order.Gate`,
		`order.Gate, "/etc/sudoers.d/rocec-txn", order.Signers`,
	},
	{mainGo, `cmd.Dir, cmd.Env = "/", []string{`, `cmd.Dir, cmd.Env = "/", nil; _ = []string{`},
	{mainGo, `cmd.Dir, cmd.Env = "/",`, `cmd.Dir, cmd.Env = "",`},
	{mainGo, `err := syscall.Setrlimit(limit,`, `err := syscall.Getrlimit(limit,`},
	{mainGo, `syscall.RLIMIT_STACK: 8 << 20`, `syscall.RLIMIT_STACK: 4 << 20`},
	{mainGo, `script, "rocec"}`, `script}`},
	{mainGo, `cmd.Stdin, cmd.Stdout`, `cmd.Stdin, cmd.Stdout = os.Stdin, out; _, cmd.Stdout`},
	{mainGo, `max(1, exit.ExitCode())`, `exit.ExitCode()`},
	{mainGo, `max(1, exit.ExitCode())`, `1`},
	{mainGo, `io.LimitReader(g.in, order.MaxSize+1)`, `io.LimitReader(g.in, order.MaxSize+2)`},

	// Names, paths and contents.
	{knownGo, `known && len(name) <= commands.MostName`, `known`},
	{knownGo, `if made.Query == nil {`, `if false {`},
	{knownGo, `if one.file(name, nil) == nil {`, `if one.file(name, nil) != nil {`},
	{knownGo, `of.file(f.Path, content); err != nil`, `of.file(f.Path, content[:0]); err != nil`},
	{knownGo, `		if err != nil {
			return nil, refuse("unsigned", "%s: %s", brief(f.Path), err)`, `		if false {
			return nil, refuse("unsigned", "%s: %s", brief(f.Path), err)`},
	{knownGo, `	if !known {
		return "", errors`, `	if !known && f.Path == "" {
		return "", errors`},
	{knownGo, `f.Replaces && f.Target`, `f.Target`},
	{knownGo, `f.Replaces && f.Target != commands.Absent`, `f.Replaces`},
	{knownGo, `		if !sent {`, `		if !sent && v == nil {`},
	{knownGo, `err != nil && !g.hasKept(f.Target)`, `err != nil && false`},
	{knownGo, `err != nil && !g.hasKept(f.Target)`, `err != nil`},
	{knownGo, `if made.Check == "" {`, `if false {`},
	{knownGo, `g.trusted(name)`, `[]byte("#!/bin/sh\n# an earlier release\n"), error(nil); _ = name`},
	{knownGo, `err == nil && commands.Sum(data) == sum`, `err == nil && commands.Sum(data) != ""`},
	{knownGo, `if s.Stdin != "" && !sent {`, `if s.Stdin == "x" && !sent {`},
	{knownGo, `return recall(name, stdin)`, `return recall(name, stdin[:0])`},
	{knownGo, `(made.Step == nil || made.Step.Name != s.Name)`, `made.Step != nil && made.Step.Name != s.Name`},
	{
		knownGo, `return nil, fmt.Errorf("the order does not have the content`,
		`return []byte{}, fmt.Errorf("%s", brief(sum)); return nil, fmt.Errorf("the order does not have the content`,
	},
	{backGo, `commands.SumOf(text) != words[1] || bytes.IndexByte(text, 0) >= 0`, `len(text) == 1<<30 && bytes.IndexByte(text, 0) >= 0`},
	{backGo, `made.Step == nil || made.Step.Undo == nil`, `false`},
	{backGo, `if s.Name != name {`, `if false {`},

	// The wire.
	{orderGo, `len(lines) != 5 || `, ``},
	{orderGo, ` || !bytes.Equal(s.Text(), text)`, ``},
	{orderGo, `if len(data) > MaxSize {`, `if false {`},
	{orderGo, `len(step) != 1+2*sha256.Size || `, ``},
	{orderGo, `len(e.Path) > 64`, `len(e.Path) > 65`},
	{orderGo, `case step[0] == 'L':`, `case step[0] == 'R':`},
	{orderGo, `case err != nil:
			return nil, errors.New("its path of hashes is damaged")`, `case err != nil:`},
	{orderGo, `if hex.EncodeToString(sum) != s.Root {`, `if false {`},
	{orderGo, `	d.DisallowUnknownFields()
`, ``},
	{orderGo, `if d.More() {`, `if false {`},
	{orderGo, `hash(1, left, right)`, `hash(0, left, right)`},
	{orderGo, `hash(1, left, right)`, `hash(1, right, left)`},
	{orderGo, `	h.Write([]byte{kind})
`, ``},
	{orderGo, `	h.Write(b)
`, ``},
	{orderGo, `48 << 20`, `49 << 20`},

	// The files and names of switches and hosts.
	{switchGo, `!slices.Contains(Paths, path)`, `false`},
	{switchGo, `len(content) > MaxFile`, `false`},
	{switchGo, ` || c == 0x7f`, ``},
	{switchGo, `c < ' ' && `, `c < 0x1b && `},
	{hostGo, `content != nil && !bytes.Equal(content, own)`, `!bytes.Equal(own, own)`},
	{hostGo, `!in || !is`, `!in && !is`},
	{hostGo, `(!is || `, `(!is && `},
	{hostGo, ` || !IsNetdev(name)`, ``},
	{hostGo, `len(content) > mostValues`, `false`},
	{hostGo, `!ends || `, `!ends && `},
	{hostGo, `!only(key, inKey) || `, `!only(key, inValue) || `},
	{hostGo, ` || !only(value, inValue)`, ` || value == ""`},
	{hostGo, ` && only(text, printable)`, ``},
	{hostGo, `return text != ""`, `return true`},
	{namesGo, `s == "." || s == ".."`, `false`},
	{namesGo, ` || r == '/'`, ``},
	{namesGo, `len(s) > 15`, `len(s) > 16`},
	{namesGo, `s != nil && s.Name == name`, `s != nil`},
	{namesGo, `q != nil && q.Name == name`, `q != nil`},
	{namesGo, ` || !IsPlace(key, value)`, ``},

	// The patches of switches.
	{sonicGo, `len(stages) > mostStages`, `false`},
	{sonicGo, `!slices.Contains(Tables, m[1])`, `!slices.Contains(Tables, Tables[0])`},
	{sonicGo, `m[1] < c.table || `, ``},
	{sonicGo, `c.rows[m[1]+"|"+m[2]] || `, ``},
	{sonicGo, ` || c.script.Len() > 0`, ``},
	{sonicGo, `m[3] != "-" && !c.isObject(m[3])`, `false`},
	{sonicGo, ` || names[m[1]]`, ``},
	{sonicGo, `line == stageForth && !c.back`, `line == stageForth`},
	{sonicGo, `case !c.begun:`, `case false:`},
	{sonicGo, `return c.scripts.check(c.script.String())`, `return nil`},
	{treeGo, `len(patch) > mostPatch`, `false`},
	{treeGo, `first != base`, `first == "x"`},
	{treeGo, `&& c.document != "set"`, ``},
	{treeGo, `depth > deepest || `, ``},
	{treeGo, ` || depth >= mostDepth`, ``},
	{treeGo, `if c.seen[at] {`, `if false {`},
	{treeGo, `c.document == "unset" && !c.open`, `false`},
	{treeGo, `case c.document == "set": // what`, `case false: // what`},
	{treeGo, `c.path[0] == "interface" && len(c.path) < 3`, `false`},
	{treeGo, `case c.path[0] != "interface":
		return foreign`, `case c.path[0] != "interface":
		return nil`},
	{treeGo, `case len(c.path) == 1 && value != "":`, `case false:`},
	{treeGo, `case len(c.path) == 2 && value != "" && value != "{}":`, `case false:`},
	{treeGo, `case len(c.path) > 2 && c.path[2] != "qos":`, `case false:`},
}

// TestMutants tries mutants of the gate, two at a time: without -whole, the first and the last. The tests of the package of the file run
// with it, and those of the gate if none fails.
func TestMutants(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	for i := range mutants {
		mutants[i].text(t, root)
	}
	tried := []mutant{mutants[0], mutants[len(mutants)-1]}
	if *whole {
		tried = mutants
	}
	at := make(chan struct{}, 2)
	for _, m := range tried {
		t.Run(m.file+" "+m.old, func(t *testing.T) {
			t.Parallel()
			at <- struct{}{}
			defer func() { <-at }()
			of, gate := filepath.Dir(m.file), filepath.Dir(mainGo)
			if !m.dies(t, root, of) && (of == gate || !m.dies(t, root, gate)) {
				t.Errorf("no test finds it: %q becomes %q", m.old, m.new)
			}
		})
	}
}

// text returns the text of the mutant.
func (m *mutant) text(t *testing.T, root string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, m.file))
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(text), m.old), "%s: %q", m.file, m.old)
	return strings.Replace(string(text), m.old, m.new, 1)
}

// dies reports whether a test of a package fails with the mutant. It leaves out this test, and those that need all of rocec or
// run others again.
func (m *mutant) dies(t *testing.T, root, pkg string) bool {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/mutant.go", []byte(m.text(t, root)), 0o600))
	replace := map[string]string{filepath.Join(root, m.file): dir + "/mutant.go"}
	for _, name := range []string{"samefiles_test.go", "mutants_test.go"} {
		replace[filepath.Join(root, "cmd/rocec-txn", name)] = ""
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(dir+"/overlay", overlay, 0o600))
	cmd := exec.Command("go", "test", "-vet=off", "-short", "-failfast", "-count=1", "-timeout=2m", "-skip", "^Test(FIPS|Kinds)$",
		"-overlay", dir+"/overlay", "./"+pkg)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	failed := strings.Contains(string(out), "--- FAIL: ") || strings.Contains(string(out), "panic: ")
	require.True(t, failed && !strings.Contains(string(out), "[build failed]"), "%s: %q becomes %q: %s", m.file, m.old, m.new, out)
	return true
}
