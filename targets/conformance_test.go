package targets_test

import (
	"bytes"
	"flag"
	"io/fs"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/target"
)

// samples are fabrics that make every target write all its kinds of files.
var samples = map[string]clos{
	"v1 on 3.4":       {leaves: 2, spines: 1, hosts: 2, model: "sn2700", version: "3.4.3", v1: true},
	"v2 on 3.4":       {leaves: 2, spines: 1, hosts: 2, model: "sn2700", version: "3.4.3", v2: true},
	"v2 on 3.7":       {leaves: 2, spines: 2, hosts: 2, model: "z9100", version: "3.7.16", v2: true},
	"both on 4.3":     {leaves: 2, spines: 2, hosts: 2, model: "sn3700", version: "4.3.0", v1: true, v2: true},
	"both on 4.4":     {leaves: 2, spines: 2, hosts: 2, model: "sn2700", version: "4.4.0", v1: true, v2: true},
	"both on 5.3":     {leaves: 2, spines: 2, hosts: 2, model: "sn4700", version: "5.3.0", v1: true, v2: true},
	"both on 5.4":     {leaves: 2, spines: 2, hosts: 2, model: "sn4700", version: "5.4.0", v1: true, v2: true},
	"both on 5.9":     {leaves: 2, spines: 2, hosts: 2, model: "sn4700", version: "5.9.0", v1: true, v2: true},
	"both on 5.15":    {leaves: 2, spines: 2, hosts: 2, model: "sn5600", version: "5.15.0", v1: true, v2: true},
	"v2 on 202205":    {leaves: 1, spines: 1, hosts: 2, model: "sn2700", version: "202205", v2: true},
	"v1 on 202411":    {leaves: 1, spines: 1, hosts: 2, model: "sn3700", version: "202411", v1: true},
	"v2 on 202511":    {leaves: 1, spines: 1, hosts: 2, model: "sn4700", version: "202511", v2: true},
	"v2 on 202605":    {leaves: 1, spines: 1, hosts: 2, model: "7260cx3-64", version: "202605", v2: true},
	"pause on 5.11":   {leaves: 1, spines: 1, hosts: 2, model: "sn3700", version: "5.11.0", v1: true, flow: ir.Pause},
	"pause on 5.0":    {leaves: 1, spines: 1, hosts: 2, model: "sn3700", version: "5.0.1", v1: true, flow: ir.Pause},
	"pause on 4.1":    {leaves: 1, spines: 1, hosts: 2, model: "sn2410", version: "4.1.1", v1: true, flow: ir.Pause},
	"pause at hosts":  {leaves: 2, spines: 2, hosts: 2, model: "sn2700", version: "3.7.16", v2: true, access: ir.Pause},
	"ConnectX-3":      {leaves: 1, spines: 1, hosts: 2, model: "sn2700", version: "4.3.0", v1: true, card: "connectx-3"},
	"Intel":           {leaves: 1, spines: 1, hosts: 2, model: "sn2700", version: "4.3.0", v2: true, card: "e810"},
	"Broadcom":        {leaves: 1, spines: 1, hosts: 2, model: "sn2700", version: "4.3.0", v2: true, card: "bcm57508"},
	"Soft-RoCE":       {leaves: 1, spines: 1, hosts: 2, model: "sn2700", version: "4.3.0", v2: true, lossy: true, card: "soft-roce"},
	"nothing carried": {leaves: 1, spines: 1, hosts: 1, model: "sn2700", version: "4.3.0"},
}

var whole = flag.Bool("whole", false, "check the laws for every file of every device, not only for different ones, and more random fabrics")

var sampleTrees struct {
	sync.Once
	trees map[string]*target.Tree
}

// treesOf renders every sample, once for all tests.
func treesOf(t *testing.T) map[string]*target.Tree {
	t.Helper()
	sampleTrees.Do(func() {
		fabrics := map[string]*ir.Fabric{"from HCL": compilertest.Compile(t, twoIntents, "tor_version=4.3.0")}
		for name, c := range samples {
			fabrics[name] = c.compile(t)
		}
		sampleTrees.trees = map[string]*target.Tree{}
		for name, fabric := range fabrics {
			tree, ds := targets.Render(fabric)
			require.False(t, ds.HasErrors(), "%s: %s", name, textOf(ds))
			require.Equal(t, ds, targets.Check(fabric), name)
			sampleTrees.trees[name] = tree
		}
	})
	return sampleTrees.trees
}

// everyFile calls f for every file of every device of every sample, as subtests.
func everyFile(t *testing.T, f func(t *testing.T, d *target.Device, file target.File)) {
	t.Helper()
	used := map[string]bool{}
	for name, tree := range treesOf(t) {
		for _, d := range tree.Devices {
			used[d.Target.Name] = true
			for _, file := range d.Files {
				t.Run(name+"/"+d.Name+"/"+path.Base(file.Path), func(t *testing.T) { f(t, d, file) })
			}
		}
	}
	for _, target := range targets.All {
		if target.Render == nil {
			continue
		}
		require.True(t, used[target.Name], "no sample makes %s write", target.Name)
	}
}

// differentFiles is [everyFile] without duplicates. Two files with the same path and the same release or driver are duplicates if rocec
// writes the same contents into no file, into the factory's file and into its own file. With -whole it is everyFile.
func differentFiles(t *testing.T, f func(t *testing.T, d *target.Device, file target.File)) {
	t.Helper()
	type likeness struct{ target, version, path, factory, written string }
	seen := map[likeness]bool{}
	everyFile(t, func(t *testing.T, d *target.Device, file target.File) {
		like := likeness{
			target: d.Target.Name, path: file.Path, factory: d.Target.Image(d.Source).Files[file.Path], written: string(wholeOf(t, d, file)),
		}
		if d.Source.Switch != nil {
			like.version = d.Source.Switch.Version
		}
		if !seen[like] || *whole {
			seen[like] = true
			f(t, d, file)
		}
	})
}

func textOf(ds diag.List) string {
	var b strings.Builder
	for _, d := range ds {
		b.WriteString(d.Code + ": " + d.Detail + "\n")
	}
	return b.String()
}

// wholeOf returns the content that rocec writes without an existing file, or into the factory's file if rocec only edits it.
func wholeOf(t require.TestingT, d *target.Device, file target.File) []byte {
	var old []byte
	if file.Sketch != nil {
		_, ds := file.Edit(nil)
		require.True(t, ds.HasErrors(), "%s is made without an existing file", file.Path)
		old = []byte(d.Target.Image(d.Source).Files[file.Path])
	}
	whole, ds := file.Edit(old)
	require.Empty(t, ds)
	return whole
}

// TestEditLaws: a second edit changes nothing and reports only notes. An edit leaves its argument unchanged and returns a text that ends in
// a newline. The same call returns the same bytes, even from several goroutines.
func TestEditLaws(t *testing.T) {
	machinetest.Long(t)
	differentFiles(t, func(t *testing.T, d *target.Device, file target.File) {
		beside := 0 // contents that several goroutines edited
		for _, old := range feeds(t, d, file) {
			before := slices.Clone(old)
			once, first := file.Edit(old)
			require.Equal(t, before, old, "Edit changed its argument")
			if first.HasErrors() {
				continue
			}
			require.True(t, bytes.HasSuffix(once, []byte("\n")), "ends in a newline: %q", once)
			twice, ds := file.Edit(once)
			for _, d := range ds { // a condition that no setting of the file can change is a note
				require.Contains(t, []string{"host-setting", "host-sender"}, d.Code, d.Detail)
				require.Equal(t, diag.Notice, d.Severity, d.Detail)
			}
			require.Equal(t, string(once), string(twice), "editing twice, from %q", old)
			if beside++; beside > 2 && !*whole {
				again, _ := file.Edit(old)
				require.Equal(t, string(once), string(again))
				continue
			}
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					again, _ := file.Edit(old)
					assert.Equal(t, string(once), string(again))
				})
			}
			wg.Wait()
		}
	})
}

// TestForeignLines: in a shared file, lines of others keep every byte and their order.
func TestForeignLines(t *testing.T) {
	shared := 0
	differentFiles(t, func(t *testing.T, d *target.Device, file target.File) {
		base := []byte(nil)
		if file.Sketch != nil {
			base = wholeOf(t, d, file)
		}
		probe, ds := file.Edit(append(base, "other.setting = 7\n"...))
		if ds.HasErrors() || !strings.Contains(string(probe), "other.setting = 7\n") {
			return // all lines of the file are rocec's
		}
		shared++
		olds := feeds(t, d, file)
		rapid.Check(t, func(t *rapid.T) {
			lines := bytes.SplitAfter(rapid.SampledFrom(olds).Draw(t, "found"), []byte("\n"))
			foreign := rapid.SliceOfN(rapid.SampledFrom([]string{
				"# note", "other.setting = 1", "\tother.x=[1, 2]\t# why  ", "  ", "no setting", "other.y = \"a = b # c\"", "# \xff",
				"## other.setting = 2", "[other]",
			}), 1, 8).Draw(t, "foreign")
			for _, l := range foreign {
				i := rapid.IntRange(0, len(lines)-1).Draw(t, "at")
				lines = slices.Insert(lines, i, []byte(l+"\n"))
			}
			out, ds := file.Edit(bytes.Join(lines, nil))
			if ds.HasErrors() {
				return
			}
			rest := string(out)
			for _, l := range lines {
				if !slices.Contains(foreign, strings.TrimSuffix(string(l), "\n")) {
					continue
				}
				i := strings.Index(rest, string(l))
				require.GreaterOrEqual(t, i, 0, "line lost or moved: %q", l)
				rest = rest[i+len(l):]
			}
		})
	})
	require.Positive(t, shared)
}

// TestKeys checks that Keys matches Edit: settings of others keep their value and order, and each setting of rocec is in the file once. In
// a whole file every setting is rocec's.
func TestKeys(t *testing.T) {
	machinetest.Long(t)
	differentFiles(t, func(t *testing.T, d *target.Device, file target.File) {
		if file.Keys == nil {
			return
		}
		given := func(name string) bool {
			doc := documentOf(d, file)
			return doc.given != nil && doc.given(name)
		}
		whole := wholeOf(t, d, file)
		require.NotEmpty(t, file.Keys(whole))
		for _, k := range file.Keys(whole) {
			assert.True(t, k.Ours || file.Sketch != nil || given(k.Name), k.Name)
		}
		theirs := func(content []byte) (out []target.Key) {
			for _, k := range file.Keys(content) {
				if !k.Ours && !given(k.Name) {
					out = append(out, k)
				}
			}
			return out
		}
		doc := documentOf(d, file)
		for _, old := range feeds(t, d, file) {
			next, ds := file.Edit(old)
			if ds.HasErrors() {
				continue
			}
			if doc.name != "state of a NIC" { // which shows the state of the device, not settings of others
				assert.Equal(t, theirs(old), theirs(next), "from %q", old)
			}
			seen := map[string]bool{}
			for _, k := range file.Keys(next) {
				if k.Ours {
					assert.False(t, seen[k.Name], "%s stands twice", k.Name)
					seen[k.Name] = true
					if file.Why != nil {
						file.Why(k.Name)
					}
				}
			}
		}
	})
}

// TestLint: the vendor's rules accept files that rocec writes without an existing file, and refuse other texts. Lint returns for every
// input.
func TestLint(t *testing.T) {
	judged := 0
	differentFiles(t, func(t *testing.T, d *target.Device, file target.File) {
		if file.Lint == nil {
			return
		}
		judged++
		whole := wholeOf(t, d, file)
		found, foreign := file.Lint(whole)
		require.Empty(t, textOf(found))
		require.Empty(t, foreign)
		for _, other := range documentOf(d, file).others {
			if _, ds := file.Edit([]byte(other)); !ds.HasErrors() {
				_, foreign = file.Lint([]byte(other))
				require.NotEmpty(t, foreign, "%q", other)
			}
		}
		for _, fine := range []string{"", "\n", "# nothing\n\n", d.Target.Image(d.Source).Files[file.Path]} {
			_, foreign = file.Lint([]byte(fine))
			require.Empty(t, foreign, "%q", fine)
		}
	})
	require.Positive(t, judged)
}

// roots are the folders to which rocec may write.
var roots = []string{
	"/etc/cumulus/datapath/", "/etc/mlx/datapath/", "/etc/rocec/", "/etc/systemd/system/", "/etc/udev/rules.d/",
	"/usr/local/sbin/",
}

// TestFiles: each path is absolute and clean, is below a known folder, and has one file. No mode allows others to write. Each step names
// its disruption and has a query that shows whether it worked.
func TestFiles(t *testing.T) {
	type place struct {
		device *target.Device
		path   string
	}
	taken := map[place]bool{}
	everyFile(t, func(t *testing.T, d *target.Device, file target.File) {
		require.False(t, taken[place{d, file.Path}], "two files at %s", file.Path)
		taken[place{d, file.Path}] = true
		require.Equal(t, path.Clean(file.Path), file.Path)
		if file.Live != nil {
			assert.False(t, path.IsAbs(file.Path), "a state is not a file: %s", file.Path)
			assert.NotEmpty(t, file.Live.Cmd)
		} else {
			assert.True(t, slices.ContainsFunc(roots, func(r string) bool { return strings.HasPrefix(file.Path, r) }), file.Path)
			assert.Equal(t, fs.FileMode(0), file.Mode&0o022, "mode %o", file.Mode)
			assert.NotZero(t, file.Mode&0o400)
		}
		if file.Activate.Cmd != "" {
			assert.Equal(t, file.Activate.Outage.Most > 0, file.Activate.Disrupts != "", file.Activate.Cmd)
			assert.NotEmpty(t, file.Activate.Loaded, file.Activate.Cmd)
		}
	})
}

// allowed are the commands rocec may use on a device: commands that every supported system has, and commands that the lab simulates.
var allowed = strings.Fields(`cat cp mv ln rm rmdir mkdir ls chmod chown stat sync touch sha256sum readlink head tail wc tr cut
	sort grep id hostname uname date sleep tee df timeout sh sudo systemctl dcb mlnx_qos ethtool ip rdma modprobe cl-consistency-check
	vtysh lldpctl clagctl nv sonic-cfggen sonic-db-cli config pfcwd ecnconfig show cmp
	test [ printf echo read case set command break continue exit true false : export unset shift return cd eval trap wait local
	/usr/local/sbin/rocec-host /usr/local/sbin/rocec-host-mlx4 /usr/local/sbin/rocec-host-rxe
	/usr/local/sbin/rocec-host-ice devlink`)

// TestShell: everything that runs on a device is POSIX shell and calls known commands only.
func TestShell(t *testing.T) {
	check := func(t *testing.T, cmd string) {
		t.Helper()
		f, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(cmd), "")
		require.NoError(t, err, cmd)
		var functions []string
		syntax.Walk(f, func(n syntax.Node) bool {
			if fn, ok := n.(*syntax.FuncDecl); ok {
				functions = append(functions, fn.Name.Value)
			}
			return true
		})
		syntax.Walk(f, func(n syntax.Node) bool {
			if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
				name := call.Args[0].Lit()
				if name == "try" && len(call.Args) > 1 && slices.Contains(functions, name) { // a command that runs its arguments
					name = call.Args[1].Lit()
				} else if part, is := call.Args[0].Parts[0].(*syntax.DblQuoted); is && slices.Contains(functions, "try") {
					if p, is := part.Parts[0].(*syntax.ParamExp); is && p.Param.Value == "@" {
						return true
					}
				}
				assert.True(t, slices.Contains(allowed, name) || slices.Contains(functions, name), "%q in %s", name, cmd)
			}
			return true
		})
	}
	everyFile(t, func(t *testing.T, d *target.Device, file target.File) {
		cmds := []string{file.Precheck, file.Activate.Cmd, file.Activate.Loaded.Cmd}
		if file.Live != nil {
			cmds = append(cmds, file.Live.Cmd)
		}
		require.NotEmpty(t, d.Identity)
		for _, p := range slices.Concat(d.Identity, d.Probes, d.Slow) {
			cmds = append(cmds, p.Cmd)
			require.NotEmpty(t, p.Name)
			require.True(t, p.Judge != nil || p.Samples != nil, p.Name)
			for _, answer := range [][]byte{nil, []byte("\x00\xff \n: = [\n")} {
				if p.Judge != nil {
					p.Judge(answer)
				}
				if p.Samples != nil {
					p.Samples(answer)
				}
			}
		}
		require.NotNil(t, d.Inspection)
		cmds = append(cmds, d.Inspection.Cmd)
		require.NotEmpty(t, d.Inspection.Parse(nil).Unread, "an empty answer is not read")
		for _, cmd := range cmds {
			check(t, cmd)
		}
	})
}

// hostCommands are the commands that scripts of hosts may use: commands of every host and of the NIC families, and builtins.
var hostCommands = strings.Fields(`dcb mlnx_qos devlink ethtool rdma ip systemctl modprobe mkdir rmdir rm readlink sleep sort sha256sum od
	: [ break command continue exit false printf read return set shift`)

// TestScripts: the script of every family is POSIX shell that the shells of hosts accept, and calls known commands only.
func TestScripts(t *testing.T) {
	seen := map[string]bool{}
	everyFile(t, func(t *testing.T, d *target.Device, file target.File) {
		if seen[file.Path] || path.Dir(file.Path) != "/usr/local/sbin" {
			return
		}
		seen[file.Path] = true
		script, _ := file.Edit(nil)
		f, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(bytes.NewReader(script), file.Path)
		require.NoError(t, err)
		known := slices.Clone(hostCommands)
		var used []string
		syntax.Walk(f, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.FuncDecl:
				assert.NotContains(t, known, n.Name.Value, "twice")
				known = append(known, n.Name.Value)
			case *syntax.CallExpr:
				if len(n.Args) > 0 && n.Args[0].Lit() != "" {
					used = append(used, n.Args[0].Lit())
				}
			}
			return true
		})
		for _, name := range used {
			assert.Contains(t, known, name)
		}
		assert.Contains(t, string(script), "\n# "+path.Base(file.Path)+": ")
		assert.NotContains(t, string(script), "TOOL")
		for line := range strings.Lines(string(script)) {
			assert.LessOrEqual(t, len(line), 130, line)
		}
		for _, tool := range [][]string{
			{"dash", "-n"}, {"bash", "--posix", "-n"}, {"busybox", "sh", "-n"}, {"mksh", "-n"}, {"shellcheck", "-s", "sh", "-"},
		} {
			cmd := exec.Command(machinetest.Need(t, tool[0]), tool[1:]...)
			cmd.Stdin = bytes.NewReader(script)
			out, err := cmd.CombinedOutput()
			assert.NoError(t, err, "%v: %s", tool, out)
			assert.Empty(t, string(out), "%v", tool)
		}
	})
	written := 0
	for _, row := range targets.All {
		if row.Driver != nil && row.Render != nil {
			written++
		}
	}
	assert.Len(t, seen, written, "a script of each family")
}

// TestSamples: the probes measure a factory-new device. A sample has one subject and a unit, and a hard gauge is 1 or 0. A sample with text
// contains a number, or is the state or start of one subject. Every cabled port has a link.
func TestSamples(t *testing.T) {
	number := regexp.MustCompile(`\b1,234\b`)
	for name, c := range samples {
		tree, _ := targets.Render(c.compile(t))
		for _, d := range tree.Devices {
			t.Run(name+"/"+d.Name, func(t *testing.T) {
				machine := lab.NewDevice(d)
				seen := map[string]bool{}
				links := 0
				for _, p := range slices.Concat(d.Probes, d.Slow) {
					if p.Samples == nil {
						continue
					}
					out, errs, status := machine.Run(t.Context(), "root", p.Cmd, string(p.Stdin))
					require.Equal(t, 0, status, "%s: %s", p.Name, errs)
					require.Empty(t, errs, p.Name)
					for _, s := range p.Samples([]byte(out)) {
						what := s.Name + " of " + s.On
						require.False(t, seen[what], "%s stands twice", what)
						seen[what] = true
						assert.NotEmpty(t, s.Name)
						assert.NotEmpty(t, s.Unit, what)
						if s.Hard {
							require.NotNil(t, s.Says, what)
						}
						if s.Says != nil {
							said := s.Says(1234)
							assert.Equal(t, s.Counter && !s.Hard, number.MatchString(said), said)
							assert.Contains(t, said, d.Name)
							assert.True(t, strings.HasSuffix(said, "."), said)
						}
						if !s.Counter {
							assert.LessOrEqual(t, s.Value, uint64(1), what)
							assert.Equal(t, map[bool]string{false: target.UnitState, true: target.UnitFact}[s.Fact != ""], s.Unit, what)
						}
						if s.Name == "link" {
							links++
							assert.EqualValues(t, 1, s.Value, what)
						}
					}
				}
				if len(d.Files) > 0 {
					assert.Len(t, d.Source.Ports, links, "every port of the sample is cabled")
				}
				assert.Empty(t, machine.Writes(), "reading writes nothing")
			})
		}
	}
}

// TestOrderOfDeclarations: the order in which intents, members and links are declared changes no byte.
func TestOrderOfDeclarations(t *testing.T) {
	for name, c := range samples {
		t.Run(name, func(t *testing.T) {
			a, _ := targets.Render(c.compile(t))
			c.backwards = true
			b, _ := targets.Render(c.compile(t))
			assert.Equal(t, contents(t, a), contents(t, b))
		})
	}
}

// TestRenderIsDeterministic: two runs, and runs with different numbers of goroutines, return the same tree.
func TestRenderIsDeterministic(t *testing.T) {
	c := clos{leaves: 20, spines: 4, hosts: 16, model: "sn2700", version: "3.4.3", v1: true, v2: true} // a refused fabric: diagnostics, too
	f := c.compile(t)
	_, want := targets.Render(f)
	require.True(t, want.HasErrors())
	for range 5 {
		_, got := targets.Render(f)
		require.Equal(t, want, got)
		require.Equal(t, want, targets.Check(f), "and without the files")
	}
	c.v1 = false
	f = c.compile(t)
	tree, _ := targets.Render(f)
	require.Len(t, tree.Devices, 20*16+24)
	for i, d := range tree.Devices {
		require.Same(t, f.Devices[i], d.Source, "in the order of the fabric")
	}
	again, _ := targets.Render(f)
	require.Equal(t, contents(t, tree), contents(t, again))
}

func contents(t *testing.T, tree *target.Tree) map[string]string {
	out := map[string]string{}
	for _, d := range tree.Devices {
		for _, file := range d.Files {
			out[d.Name+":"+file.Path] = string(wholeOf(t, d, file))
		}
	}
	return out
}

// TestDevices checks the members of a tree's devices, other than files.
func TestDevices(t *testing.T) {
	tree, ds := targets.Render(samples["both on 4.3"].compile(t))
	require.False(t, ds.HasErrors())
	byName := map[string]*target.Device{}
	for _, d := range tree.Devices {
		byName[d.Name] = d
		assert.NotEmpty(t, d.About)
		image := d.Target.Image(d.Source)
		assert.NotEmpty(t, image.Netdevs)
	}
	assert.Equal(t, target.Switch, byName["leaf0001"].Role)
	assert.Equal(t, "leaf", byName["leaf0001"].Group)
	assert.Equal(t, target.Host, byName["gpu00001"].Role)

	tree, _ = targets.Render(samples["nothing carried"].compile(t))
	for _, d := range tree.Devices {
		if d.Role == target.Host {
			assert.Empty(t, d.Files, "a host in no intent needs nothing")
			assert.NotEmpty(t, d.Cleanups, "except a question whether it has settings of rocec")
		}
	}
	tree, ds = targets.Render(&ir.Fabric{})
	assert.Empty(t, tree.Devices)
	assert.Empty(t, ds)
}

// TestUntaken: a switch of another system that carries RoCE is an error, once for its block; a switch that carries none is no error.
func TestUntaken(t *testing.T) {
	f := samples["v1 on 3.4"].compile(t)
	for _, d := range f.Devices {
		if d.Switch != nil {
			d.Switch.OS = "ibiza"
		}
	}
	_, ds := targets.Render(f)
	require.Len(t, ds, 2, "leaf and spine")
	assert.Equal(t, ds, targets.Check(f))
	assert.Equal(t, "no-target", ds[0].Code)
	assert.Contains(t, ds[0].Detail, `"ibiza"`)
	assert.Equal(t, 7, ds[0].At.Start.Line)

	later := samples["both on 5.3"]
	later.version = "5.4.0"
	for config, by := range map[string]string{"": "nvue", "files": "cumulus"} {
		f = later.compile(t)
		for _, d := range f.Devices {
			if d.Switch != nil {
				d.Switch.Config = config
			}
		}
		tree, ds := targets.Render(f)
		require.False(t, ds.HasErrors(), textOf(ds))
		assert.Len(t, tree.Devices, len(f.Devices))
		for _, d := range tree.Devices {
			if d.Role == target.Switch {
				assert.Equal(t, by, d.Target.Name)
			}
		}
	}

	f = samples["nothing carried"].compile(t)
	f.Devices[1].Switch.OS = ""
	_, ds = targets.Render(f)
	assert.Empty(t, ds)
}

// TestTable: names and codes are unique, everything is documented.
func TestTable(t *testing.T) {
	names, codes := map[string]bool{}, map[string]bool{}
	for _, target := range targets.All {
		assert.False(t, names[target.Name], target.Name)
		names[target.Name] = true
		assert.NotEmpty(t, target.Doc)
		assert.NotEqual(t, target.OS == nil, target.Driver == nil, "%s has either an operating system or a driver", target.Name)
	}
	for _, topic := range targets.Topics {
		assert.False(t, codes[topic.Code], topic.Code)
		codes[topic.Code] = true
		assert.NotEmpty(t, topic.Summary, topic.Code)
	}
	for name, c := range samples {
		c.v1, c.v2 = true, true // refused by releases 3.x
		f := c.compile(t)
		_, ds := targets.Render(f)
		assert.Equal(t, ds, targets.Check(f), name)
		for _, d := range ds {
			assert.True(t, codes[d.Code], "%s: %s is not in Topics", name, d.Code)
		}
	}
}

// BenchmarkRender renders a fabric of 1,000 switches and 32,000 hosts.
func BenchmarkRender(b *testing.B) {
	f := clos{leaves: 984, spines: 16, hosts: 32, model: "sn4600", version: "5.3.0", v2: true}.compile(b)
	require.Greater(b, len(f.Devices), 32_000)
	b.ReportAllocs()
	for b.Loop() {
		tree, _ := targets.Render(f)
		if len(tree.Devices) != len(f.Devices) {
			b.Fatal(len(tree.Devices))
		}
	}
}
