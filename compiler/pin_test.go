package compiler

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/lock"
	"github.com/rocec/rocec/targets"
)

// racks returns a fabric of two leaves with ports to hosts, a spine, and two lossless groups that mark. With all ports in use, the memory
// of a leaf limits where marking begins.
func racks(ports int, more string) string {
	return fmt.Sprintf(`
fabric "pod1" {
  routing      = "up-down"
  cable_length = "3m"
}
cos_group "a" {
  cos      = 3
  dscp     = [24]
  lossless = true
  ecn {}
}
cos_group "b" {
  cos      = 4
  dscp     = [26]
  lossless = true
  ecn {}
}
roce "a" {
  version   = 2
  cos_group = cos_group.a
  members   = [host.gpu]
}
roce "b" {
  version   = 2
  cos_group = cos_group.b
  members   = [host.gpu]
}
switch "leaf" {
  names   = "leaf[1-2]"
  model   = "sn2700"
  version = "4.3.0"
}
switch "spine" {
  model   = "sn2700"
  version = "4.3.0"
}
host "gpu" {
  names = "gpu[1-%d]"
  nic "ens1f0" { model = "connectx-5" }
}
link "hosts" {
  a = "gpu[1-%[1]d]:ens1f0"
  b = "leaf[1-2]:swp[1-%d]"
}
mesh "up" {
  lower  = "leaf[1-2]:swp32"
  upper  = "spine:swp[1-2]"
  length = "30m"
}
%s`, 2*ports, ports, more)
}

func compileLocked(t testing.TB, text string, l *lock.File) (*ir.Fabric, diag.List) {
	t.Helper()
	src := loaded(t, fstest.MapFS{"fabric.hcl": {Data: []byte(text)}}, ".")
	src.Lock = l
	f, ds := Compile(src, targets.Known)
	require.NotNil(t, f, texts(ds))
	return f, ds
}

// lockOf returns the file that build --lock would write for a fabric, with edits, read back.
func lockOf(t testing.TB, f *ir.Fabric, edit func(*lock.Row)) *lock.File {
	t.Helper()
	var rows []*lock.Row
	for _, s := range f.Sizes {
		row := *s.Fresh
		row.Numbers = slices.Clone(row.Numbers)
		if edit != nil {
			edit(&row)
		}
		rows = append(rows, &row)
	}
	var ds diag.List
	l := lock.Read(lock.Name, lock.Format(&lock.File{Fabric: f.Name, Rocec: "0.11.0", Rows: rows}), &ds)
	require.Empty(t, ds)
	return l
}

// sizes returns the numbers of all ports.
func sizes(f *ir.Fabric) string {
	var b strings.Builder
	for _, p := range f.Ports {
		fmt.Fprint(&b, p)
		for _, x := range p.Buffers() {
			fmt.Fprint(&b, " ", x.Group.Name, x.Size.N, x.Xoff.N, x.XonDelta.N, x.Need, x.Floor)
		}
		for _, m := range p.Marks() {
			fmt.Fprint(&b, " ", m.Group.Name, m.Min.N, m.Max.N, m.Probability.N)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// A fabric.lock of the same rules changes no number and causes no message, for any written sizes and any number of ports.
func TestPinnedByTheSameRules(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := racks(rapid.IntRange(1, 31).Draw(rt, "ports"), "")
		written := rapid.SampledFrom([]string{
			"ecn {}", "ecn { min = \"40KiB\" }", "ecn { max = \"1MiB\" }", "ecn { probability = 50 }",
			"ecn {}\npfc { xoff = \"20000B\" }", "ecn {}\npfc { buffer = \"90000B\" }", "ecn {}\npfc { small_packets = 50 }",
			"ecn {}\npfc {\n xoff = 20000\n buffer = 90000\n xon_delta = 100\n}",
		}).Draw(rt, "written")
		text = strings.Replace(text, "ecn {}", written, 1)
		fresh, ds := compileLocked(t, text, nil)
		if len(ds) > 0 {
			rt.Fatal(texts(ds))
		}
		locked, ds := compileLocked(t, text, lockOf(t, fresh, nil))
		if len(ds) > 0 || sizes(fresh) != sizes(locked) {
			rt.Fatalf("%s\n%s\n%s", texts(ds), sizes(fresh), sizes(locked))
		}
		for _, p := range locked.Ports {
			for _, b := range p.Buffers() {
				if b.Pinned.Filename != "" {
					rt.Fatal("pinned to the result of the current rules")
				}
			}
		}
		for _, s := range locked.Sizes {
			if s.Pinned == nil || !s.Pinned.Same(s.Fresh) {
				rt.Fatalf("%s is not pinned", s.Fresh.Inputs)
			}
		}
	})
}

// Under other rules, pinned numbers apply to all ports with the same inputs and to no others, and the message names the rule.
func TestPinnedByOtherRules(t *testing.T) {
	text := racks(4, "")
	fresh, _ := compileLocked(t, text, nil)
	require.Len(t, fresh.Sizes, 3, "3 m and 30 m of cable, and one speed for marks")
	l := lockOf(t, fresh, func(r *lock.Row) {
		for i, by := range r.By {
			r.By[i] = strings.Replace(by, "preset: resume", "an older preset: resume", 1)
		}
		for i := range r.Numbers {
			if n := &r.Numbers[i]; strings.Contains(r.Inputs, "length=30m") && n.Name == "buffer" || n.Name == "min" {
				n.N -= 960
			}
		}
	})
	f, ds := compileLocked(t, text, l)
	require.Len(t, ds, 2, texts(ds))
	for i, says := range []string{
		"fabric.lock pins buffer = 96,192, but the rules of this rocec give 97,152. Pinned sizes are used.",
		"fabric.lock pins min = 152,640, but the rules of this rocec give 153,600. Pinned sizes are used.",
	} {
		assert.Equal(t, "lock-changed", ds[i].Code)
		assert.Contains(t, ds[i].Detail, says)
		assert.Equal(t, lock.Name, ds[i].At.Filename)
		assert.Regexp(t, advice, ds[i].Detail)
	}
	require.Len(t, ds[0].Notes, 2)
	assert.Equal(t, "pinned by xon_delta: an older preset: resume 2000 B below xoff; Spectrum: cells of 96 B", ds[0].Notes[0].Message)
	assert.Equal(t, "now xon_delta: preset: resume 2000 B below xoff; Spectrum: cells of 96 B", ds[0].Notes[1].Message)

	up, down := port(f, "leaf1:swp32"), port(f, "leaf1:swp1")
	for _, b := range up.Buffers() {
		assert.Equal(t, 96_192, b.Size.N)
		assert.Equal(t, port(fresh, "leaf1:swp32").Buffers()[0].Need, b.Need, "checks use the rules of this rocec")
		assert.Equal(t, ds[0].At, b.Pinned)
		from := b.Size.On(up.Link()).From
		require.Len(t, from, 1)
		assert.Equal(t, "pinned in fabric.lock", from[0].Why)
		assert.Equal(t, lock.Name, from[0].At.Filename)
		last := b.Xoff.From[len(b.Xoff.From)-1].Origin
		assert.Equal(t, "pinned in fabric.lock", last.Why, "after the reasons that still apply")
	}
	assert.Equal(t, port(fresh, "leaf1:swp1").Buffers()[0].Size.N, down.Buffers()[0].Size.N)
	assert.Empty(t, down.Buffers()[0].Pinned)
	assert.Equal(t, 152_640, down.Marks()[1].Min.N)
}

// Ports like the others need no new row. Sizes of other ports are derived, and reported once.
func TestPinnedGrowth(t *testing.T) {
	few, _ := compileLocked(t, racks(3, ""), nil)
	_, ds := compileLocked(t, racks(7, ""), lockOf(t, few, nil))
	assert.Empty(t, texts(ds))

	longer := strings.Replace(racks(3, ""), `"30m"`, `"40m"`, 1)
	fresh, _ := compileLocked(t, longer, nil)
	f, ds := compileLocked(t, longer, lockOf(t, few, nil))
	require.Len(t, ds, 1, texts(ds))
	assert.Equal(t, "lock-incomplete", ds[0].Code)
	assert.Equal(t, "fabric.lock does not pin one row of sizes of this fabric, the first for asic=spectrum speed=100G length=40m mtu=9216. "+
		"This rocec derives them. Add them with `rocec build --lock`.", ds[0].Detail)
	assert.Equal(t, sizes(fresh), sizes(f))

	_, ds = compileLocked(t, longer, &lock.File{Fabric: "pod1"})
	require.Len(t, ds, 1, "however many rows")
	assert.Contains(t, ds[0].Detail, "3 rows of sizes")
	assert.Len(t, ds[0].Notes, 2)
}

// If memory limits marking, the ports of the switch are inputs. A row of a switch without such a limit applies if the limit allows it. A
// row for exactly these inputs applies even if the rules of this rocec have no limit for them.
func TestPinnedBound(t *testing.T) {
	bounded := racks(31, "")
	fresh, _ := compileLocked(t, bounded, nil)
	inputs := func(f *ir.Fabric) (out []string) {
		for _, s := range f.Sizes {
			if s.Fresh.Kind == lock.Mark {
				out = append(out, s.Fresh.Inputs)
			}
		}
		return out
	}
	require.Equal(t, []string{
		"asic=spectrum speed=100G mtu=9216 ports=32 groups=2 reserved=5795136 pool=50% alpha=1 joined", "asic=spectrum speed=100G mtu=9216",
	}, inputs(fresh))
	plain := lockOf(t, fresh, nil)
	plain.Rows = slices.DeleteFunc(plain.Rows, func(r *lock.Row) bool { return strings.Contains(r.Inputs, "ports=") })
	f, ds := compileLocked(t, bounded, plain)
	require.Len(t, ds, 1)
	assert.Equal(t, "lock-incomplete", ds[0].Code, "153600 is above the bound: it was pinned for other switches")
	assert.Equal(t, sizes(fresh), sizes(f))

	for _, r := range plain.Rows {
		if r.Kind == lock.Mark {
			r.Numbers[0].N, r.Numbers[1].N = 24_576, 245_760
		}
	}
	f, ds = compileLocked(t, bounded, plain)
	require.Len(t, ds, 2, texts(ds))
	assert.Equal(t, []string{"lock-changed", "lock-changed"}, []string{ds[0].Code, ds[1].Code}, "rows of the leaves and of the spine")
	assert.Equal(t, 24_576, port(f, "leaf1:swp1").Marks()[0].Min.N)

	unbounded := racks(3, "")
	few, _ := compileLocked(t, unbounded, nil)
	require.Equal(t, []string{"asic=spectrum speed=100G mtu=9216"}, inputs(few))
	mem := device(few, "leaf1").Memory()
	exact := lockOf(t, few, func(r *lock.Row) {
		if r.Kind == lock.Mark {
			r.Inputs += memoryInputs(mem)
			r.Numbers[0].N = 48_000
		}
	})
	f, ds = compileLocked(t, unbounded, exact)
	require.Len(t, ds, 2, texts(ds))
	assert.Equal(t, 48_000, port(f, "leaf1:swp1").Marks()[0].Min.N, "an older rocec had a bound here")
	assert.Equal(t, 153_600, port(f, "spine:swp1").Marks()[0].Min.N, "and the row applies only to this switch")
}
