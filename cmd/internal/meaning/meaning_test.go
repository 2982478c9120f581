package meaning_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/meaning"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/target/lint"
)

// pair is a fabric of two switches with two hosts each.
const pair = `fabric "pair" { routing = "up-down" }
cos_group "rdma" {
  cos      = 4
  dscp     = [26]
  lossless = true
  weight   = 60
  ecn {}
}
cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}
cos_group "default" {
  cos    = 0
  weight = 40
}
roce "training" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.gpu]
}
switch "leaf" {
  names   = "leaf[1-2]"
  model   = "sn2700"
  version = "4.3.0"
}
switch "spine" {
  names   = "spine1"
  model   = "sn2700"
  version = "4.3.0"
}
host "gpu" {
  names = "gpu[1-4]"
  nic "ens1f0" { model = "connectx-5" }
}
link "hosts" {
  a      = "gpu[1-4]:ens1f0"
  b      = "leaf[1-2]:swp[1-2]"
  speed  = "100G"
  length = "3m"
}
link "up" {
  a      = "leaf[1-2]:swp32"
  b      = "spine1:swp[1-2]"
  speed  = "100G"
  length = "10m"
}
`

// state judges a fabric in which words were replaced.
func state(t *testing.T, dir string, words ...string) *meaning.Side {
	t.Helper()
	text := strings.NewReplacer(words...).Replace(pair)
	require.True(t, len(words) == 0 || text != pair, "the fabric does not contain the word")
	j := judge.Judge(t.Context(), fstest.MapFS{dir + "/fabric.hcl": {Data: []byte(text)}}, dir, judge.Options{})
	return &meaning.Side{Name: dir, Dir: dir, Report: &report.Report{Judged: j, Dir: dir}}
}

// whats returns the effects as text, each with its devices.
func whats(m *meaning.Meaning) (out []string) {
	for _, e := range m.Effects {
		var on []string
		for _, one := range e.On {
			on = append(on, one.Device)
		}
		out = append(out, e.What()+": "+strings.Join(on, " "))
	}
	return out
}

// The same fabric in another folder has no effects. Each change has exactly its own effects.
func TestChanges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		words []string
		want  []string // effects
		also  func(t *testing.T, m *meaning.Meaning)
	}{
		"nothing": {nil, nil, func(t *testing.T, m *meaning.Meaning) { assert.True(t, m.Empty()) }},
		"a comment": {
			[]string{`fabric "pair"`, "# a comment\nfabric \"pair\""},
			nil,
			func(t *testing.T, m *meaning.Meaning) {
				assert.True(t, m.Empty(), "findings are recognised in another line")
			},
		},
		"a longer cable": {
			[]string{`"10m"`, `"40m"`},
			[]string{"cable length goes from 10 m to 40 m: leaf1 leaf2 spine1", "headroom grows"},
			func(t *testing.T, m *meaning.Meaning) {
				require.Len(t, m.Links.Changed, 1)
				assert.Equal(t, meaning.Turned{
					Devices: []string{"leaf1:swp32 - spine1:swp1", "leaf2:swp32 - spine1:swp2"}, What: "length", Before: "10 m", After: "40 m",
				}, m.Links.Changed[0])
			},
		},
		"another class": {
			[]string{"cos      = 4", "cos      = 3"},
			[]string{"lossless cos 4 ends", "lossless cos 3 begins", "DSCP 26 moves"},
			nil,
		},
		"another value": {[]string{"dscp     = [26]", "dscp     = [28]"}, []string{"DSCP 26 moves", "DSCP 28 moves"}, nil},
		"a host less": {
			[]string{"gpu[1-4]", "gpu[1-3]", `"leaf[1-2]:swp[1-2]"`, `"leaf1:swp[1-2],leaf2:swp1"`},
			[]string{"lossless cos 4 ends"},
			func(t *testing.T, m *meaning.Meaning) {
				assert.Equal(t, []string{"gpu4"}, m.Removed)
				assert.Equal(t, []string{"gpu4:ens1f0 - leaf2:swp2"}, m.Links.Removed)
			},
		},
		"a release": {
			[]string{`version = "4.3.0"`, `version = "4.2.1"`},
			nil,
			func(t *testing.T, m *meaning.Meaning) {
				want := meaning.Turned{Devices: []string{"leaf1", "leaf2", "spine1"}, What: "release", Before: "4.3.0", After: "4.2.1"}
				assert.Equal(t, []meaning.Turned{want}, m.Turned)
			},
		},
		"no model": {
			[]string{`model   = "sn2700"`, `model   = "none"`},
			nil,
			func(t *testing.T, m *meaning.Meaning) {
				assert.False(t, m.B.Compiles())
				assert.True(t, m.Worse())
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := meaning.Of(state(t, "a"), state(t, "b", c.words...))
			got := whats(m)
			for _, want := range c.want {
				assert.True(t, slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, want) }), "%s: %s", want, got)
			}
			assert.Equal(t, c.want == nil, len(got) == 0, "%s", got)
			if c.also != nil {
				c.also(t, m)
			}
			back := meaning.Of(m.B, m.A) // the reverse change has as many effects, on the same things
			assert.Len(t, back.Effects, len(m.Effects))
			assert.Equal(t, m.Added, back.Removed)
			assert.Equal(t, m.New, back.Fixed)
			assert.Equal(t, m.Links.Added, back.Links.Removed)
			for _, e := range m.Effects {
				begins := func(b meaning.Effect) bool { return b.Kind == deploy.LosslessBegins && b.Of == e.Of }
				if e.Kind == deploy.LosslessEnds {
					assert.True(t, slices.ContainsFunc(back.Effects, begins))
				}
			}
		})
	}
}

// A new loop is a changed verdict and a new error. The reverse change is a fixed error.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	of := func(example string) *meaning.Side {
		j := judge.Judge(t.Context(), os.DirFS("../../../examples"), example, judge.Options{})
		return &meaning.Side{Name: example, Dir: example, Report: &report.Report{Judged: j, Dir: example}}
	}
	free, prone := of("clos-v2-ecn"), of("ring-pfc-loop")
	m := meaning.Of(free, prone)
	require.NotEmpty(t, m.Verdicts)
	assert.True(t, slices.ContainsFunc(m.Verdicts, func(v meaning.Proved) bool { return v.After == "prone to PFC loops" }))
	assert.True(t, m.Worse())
	assert.Equal(t, "pfc-loop", m.New[0].Code)
	assert.False(t, meaning.Of(prone, free).Worse())
}

// Equal devices are compared once. Each has the same effects as in a separate comparison.
func TestAlike(t *testing.T) {
	t.Parallel()
	compared := 0
	for _, example := range []string{"clos-v2-ecn", "mixed-releases", "gpu-pod", "sonic-leaf-spine", "storage-and-training", "pods-ebgp"} {
		of := func(change func(src *lang.Source)) *meaning.Side {
			j := judge.Judge(t.Context(), os.DirFS("../../../examples"), example, judge.Options{Change: change})
			require.NotNil(t, j.Fabric, example)
			return &meaning.Side{Name: example, Dir: example, Report: &report.Report{Judged: j, Dir: example}}
		}
		a := of(nil)
		b := of(func(src *lang.Source) {
			for i, l := range src.Links {
				if i%3 == 0 { // its block has other values
					block := *l.Block
					block.Length = lang.Value[float64]{V: block.Length.V + 47, At: block.Decl}
					l.Block = &block
				}
			}
		})
		m := meaning.Of(a, b)
		got := map[string][]deploy.Effect{}
		for _, e := range m.Effects {
			for _, on := range e.On {
				got[on.Device] = append(got[on.Device], on.Effect)
			}
		}
		for i, d := range a.Report.Fabric.Devices {
			now := b.Report.Fabric.Devices[i]
			want := deploy.Effects(targets.Meant(d), targets.Meant(now), slices.Concat(d.Ports, now.Ports))
			assert.ElementsMatch(t, want, got[d.Name], "%s %s", example, d.Name)
			compared += len(want)
		}
	}
	assert.Greater(t, compared, 10)
}

// The files that rocec writes for a fabric have no effects compared with the fabric. An edited value has the same effect as in a plan.
func TestFiles(t *testing.T) {
	t.Parallel()
	a := state(t, "a")
	files := func(words ...string) *meaning.Side {
		s := &meaning.Side{Name: "files", Dir: "out", Files: []lint.File{}}
		for _, d := range a.Report.Tree().Devices {
			for _, f := range d.Files {
				if f.Live != nil || !targets.Searched(lint.File{Name: f.Path}, false) {
					continue
				}
				content, ds := f.Edit(nil)
				require.Empty(t, ds)
				text := string(content)
				if d.Name == "leaf1" {
					text = strings.NewReplacer(words...).Replace(text)
				}
				s.Files = append(s.Files, lint.File{Name: "out/" + d.Name + f.Path, Data: []byte(text)})
			}
		}
		return s
	}
	m := meaning.Of(a, files())
	var found []string
	for _, d := range slices.Concat(m.New, m.Fixed) {
		found = append(found, d.Code+" "+d.At.Filename+" "+d.Detail)
	}
	assert.True(t, m.Empty(), "%s %s %s %s", whats(m), found, m.Added, m.Removed)
	assert.True(t, meaning.Of(files(), a).Empty())
	assert.True(t, meaning.Of(files(), files()).Empty())
	m = meaning.Of(a, files("dscp = [26]", "dscp = []", "[24,25,27", "[24,25,26,27"))
	require.Len(t, m.Effects, 1)
	assert.Regexp(t, "^DSCP 26 moves to .*: leaf1$", whats(m)[0])
	assert.True(t, m.Worse(), "the class is not lossless there")
	some := files()
	some.Files = slices.DeleteFunc(some.Files, func(f lint.File) bool { return strings.HasPrefix(f.Name, "out/leaf2/") })
	m = meaning.Of(a, some)
	assert.Equal(t, []string{"leaf2"}, m.Alone, "a device without a file is named")
	assert.Equal(t, []string{"leaf2"}, meaning.Of(files(), some).Removed)
}
