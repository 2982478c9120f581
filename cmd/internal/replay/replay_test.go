package replay

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/judge/judgetest"
	"github.com/rocec/rocec/targets/target"
)

// shelf contains contents by their SHA-256.
type shelf map[string][]byte

func (s shelf) get(sum string) ([]byte, error) {
	if content, ok := s[sum]; ok {
		return content, nil
	}
	return nil, errors.New("the content is not kept")
}

// rocec makes every step, query and checker of a run again from the journal, which does not contain their text. This applies to a run
// that goes back, too.
func TestJournalKeepsNames(t *testing.T) {
	for name, hcl := range map[string]string{
		"restart": judgetest.Rack(`version = "4.2.1"`),
		"reload":  judgetest.Rack(`version = "5.3.1"`),
		"NVUE":    judgetest.Rack(`version = "5.14.0"`),
		"SONiC":   judgetest.SONiCRack("202505"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := judgetest.Tree(t, hcl)
			tree := &target.Tree{Devices: append(judgetest.First(t, all, target.Switch).Devices, judgetest.First(t, all, target.Host).Devices...)}
			plan, kept := &deploy.Plan{}, shelf{}
			for _, d := range tree.Devices {
				p := &deploy.DevicePlan{Device: d, Status: deploy.StatusChange}
				for i := range d.Files {
					f := d.Files[i]
					var before []byte
					if text, there := d.Target.Image(d.Source).Files[f.Path]; there {
						before = []byte(text)
					}
					after, ds := f.Edit(before)
					require.False(t, ds.HasErrors())
					if f.Choose != nil {
						f.Activate, _ = f.Choose(before, after, nil)
					}
					kept[commands.Sum(before)], kept[commands.Sum(after)] = before, after
					p.Changes = append(p.Changes, &deploy.Change{
						FileState: deploy.FileState{Path: f.Path, Base: deploy.Sum(before), Target: deploy.Sum(after)}, File: &f,
					})
				}
				plan.Devices = append(plan.Devices, p)
			}
			h := journal.Header{Format: journal.Format, Run: "run-1"}
			Write(&h, plan, nil)
			text, err := json.Marshal(h)
			require.NoError(t, err)
			for _, word := range []string{"systemctl", "apply-patch", "nv config", "sh -"} {
				require.NotContains(t, string(text), word, "a command is in the journal")
			}
			var back journal.Header
			require.NoError(t, json.Unmarshal(text, &back))
			r := Read(&back, kept.get)
			for i := range back.Devices {
				require.Empty(t, r.Otherwise(&back.Devices[i]))
				require.Equal(t, plan.Devices[i].Digest, runDigest(&back, &back.Devices[i]))
				for j := range back.Devices[i].Changes {
					got, err := r.file(&back.Devices[i].Changes[j])
					require.NoError(t, err)
					want := plan.Devices[i].Changes[j].File
					assert.Equal(t, want.Activate, got.Activate)
					assert.Equal(t, want.Live, got.Live)
					assert.Equal(t, want.Precheck, got.Precheck)
				}
			}
			// The same applies to the run that goes back, and to a run that goes back from that one.
			for range 2 {
				tree := r.Back(back.Devices)
				again := &deploy.Plan{}
				for _, d := range tree.Devices {
					require.Empty(t, d.Given.Not)
					p := &deploy.DevicePlan{Device: d, Status: deploy.StatusChange}
					for i := range d.Files {
						f := &d.Files[i]
						state := deploy.FileState{Path: f.Path, Base: deploy.Absent, Target: deploy.Absent}
						p.Changes = append(p.Changes, &deploy.Change{FileState: state, File: f})
					}
					again.Devices = append(again.Devices, p)
				}
				h := journal.Header{Format: journal.Format, Run: "run-2", Undoes: "run-1"}
				Write(&h, again, nil)
				r = Read(&h, kept.get)
				for i := range h.Devices {
					for j := range h.Devices[i].Changes {
						got, err := r.file(&h.Devices[i].Changes[j])
						require.NoError(t, err)
						assert.Equal(t, again.Devices[i].Changes[j].File.Activate, got.Activate)
					}
				}
				back = h
			}
		})
	}
}

// The digest of a step, query or checker covers everything that it runs.
func TestMadeDigest(t *testing.T) {
	step := target.Step{
		Cmd: "a", Stdin: "b", Keep: "c", Units: "d", Undo: &target.Query{Cmd: "e", Stdin: []byte("f")}, Loaded: &target.Query{Cmd: "g"},
		Back: &target.Query{Cmd: "h"},
	}
	was := madeDigest(&target.Made{Step: &step})
	for i := range reflect.TypeFor[target.Step]().NumField() {
		other := step
		v := reflect.ValueOf(&other).Elem().Field(i)
		switch name := reflect.TypeFor[target.Step]().Field(i).Name; {
		case v.Kind() == reflect.String && name != "Name" && name != "Disrupts":
			v.SetString("x")
			assert.NotEqual(t, was, madeDigest(&target.Made{Step: &other}), name)
		case v.Kind() == reflect.Pointer:
			v.Set(reflect.ValueOf(&target.Query{Cmd: "x"}))
			assert.NotEqual(t, was, madeDigest(&target.Made{Step: &other}), name)
			v.SetZero()
			assert.NotEqual(t, was, madeDigest(&target.Made{Step: &other}), name)
		}
	}
	assert.NotEqual(t, madeDigest(&target.Made{Query: &target.Query{Cmd: "x"}}), madeDigest(&target.Made{Check: "x"}))
}

// The device compares every member of a file in the journal, and the members of the run that decide whether the run is kept.
func TestRunDigest(t *testing.T) {
	one := 0
	h := &journal.Header{
		Run: "run-1", Steps: []journal.Made{{Name: "s"}, {Name: "t"}}, Queries: []journal.Made{{Name: "q"}}, Checks: []journal.Made{{Name: "c"}},
	}
	d := journal.Device{Name: "leaf1", Role: "switch", Changes: []journal.File{{Path: "/etc/x", Base: "a", Target: "b", Mode: 0o644}}}
	d.States = []journal.File{{Path: "nic/x", Base: "a", Query: &one}}
	was := runDigest(h, &d)
	for what, change := range map[string]func(h *journal.Header, d *journal.Device){
		"run":              func(h *journal.Header, _ *journal.Device) { h.Run = "run-2" },
		"undoes":           func(h *journal.Header, _ *journal.Device) { h.Undoes = "run-2" },
		"hold":             func(h *journal.Header, _ *journal.Device) { h.Hold = "10m0s" },
		"device":           func(_ *journal.Header, d *journal.Device) { d.Name = "leaf2" },
		"role":             func(_ *journal.Header, d *journal.Device) { d.Role = "host" },
		"path":             func(_ *journal.Header, d *journal.Device) { d.Changes[0].Path = "/etc/y" },
		"base":             func(_ *journal.Header, d *journal.Device) { d.Changes[0].Base = "c" },
		"target":           func(_ *journal.Header, d *journal.Device) { d.Changes[0].Target = "c" },
		"mode":             func(_ *journal.Header, d *journal.Device) { d.Changes[0].Mode = 0o755 },
		"step":             func(_ *journal.Header, d *journal.Device) { d.Changes[0].Step = 1 },
		"name of the step": func(h *journal.Header, _ *journal.Device) { h.Steps[0].Name = "x" },
		"checker":          func(_ *journal.Header, d *journal.Device) { d.Changes[0].Check = new(int) },
		"a live state":     func(_ *journal.Header, d *journal.Device) { d.Changes[0].Query = new(int) },
		"another change":   func(_ *journal.Header, d *journal.Device) { d.Changes = append(d.Changes, d.Changes[0]) },
		"no change":        func(_ *journal.Header, d *journal.Device) { d.Changes = nil },
		"state":            func(_ *journal.Header, d *journal.Device) { d.States[0].Base = "c" },
		"no state":         func(_ *journal.Header, d *journal.Device) { d.States = nil },
		"a state changes":  func(_ *journal.Header, d *journal.Device) { d.States, d.Changes = nil, append(d.Changes, d.States...) },
	} {
		h2, d2 := *h, d
		h2.Steps = append([]journal.Made{}, h.Steps...)
		d2.Changes, d2.States = append([]journal.File{}, d.Changes...), append([]journal.File{}, d.States...)
		change(&h2, &d2)
		assert.NotEqual(t, was, runDigest(&h2, &d2), what)
	}
	h.Steps[0].Digest = "x"
	assert.Equal(t, was, runDigest(h, &d), "another version of rocec may do a step in another way")
}

// For any header, a reader returns the files of a device or the reason for refusing it, and never panics.
func TestReadHostileHeader(t *testing.T) {
	sum := commands.Sum([]byte("a\x00b"))
	kept := shelf{sum: []byte("a\x00b"), commands.Sum([]byte("x")): []byte("x")}
	word := rapid.SampledFrom([]string{
		"", "cumulus restart", "cumulus restart; reboot", "mlx5 apply ens1f0", "mlx5 show ens1f0", "mlx5 apply $(reboot)",
		"unknown step 0 60 false", "unknown state", "unknown step 0 99999999 true", "nvue patch", "back | ../x " + sum + " mlx5 show ens1f0 | mlx5 apply ens1f0",
		"back | nic/ens1f0 " + sum + " mlx5 show ens1f0 | mlx5 apply ens1f0", "back | nic/ens1f0 - mlx5 show ens1f0 | mlx5 apply ens1f0",
		"back | cumulus restart", "back | back | mlx5 apply ens1f0", "back |", "reboot", "sonic rows",
	})
	path := rapid.SampledFrom([]string{"/etc/x", "nic/ens1f0", "../x", "/etc/../x", "", "/", "nic//x", "a\nb", "/etc/a\x00b"})
	hash := rapid.SampledFrom([]string{"", "absent", sum, commands.Sum([]byte("x")), "zz"})
	number := rapid.Custom(func(t *rapid.T) *int {
		if rapid.Bool().Draw(t, "none") {
			return nil
		}
		return new(rapid.IntRange(-2, 9).Draw(t, "n"))
	})
	file := rapid.Custom(func(t *rapid.T) journal.File {
		return journal.File{
			Path: path.Draw(t, "path"), Base: hash.Draw(t, "base"), Target: hash.Draw(t, "target"), Mode: rapid.Uint32().Draw(t, "mode"),
			Step: rapid.IntRange(-2, 9).Draw(t, "step"), Query: number.Draw(t, "query"), Check: number.Draw(t, "check"),
		}
	})
	made := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) journal.Made { return journal.Made{Name: word.Draw(t, "name")} }), 0, 6)
	rapid.Check(t, func(rt *rapid.T) {
		h := &journal.Header{
			Format: journal.Format, Run: "run-1", Steps: made.Draw(rt, "steps"), Queries: made.Draw(rt, "queries"), Checks: made.Draw(rt, "checks"),
			Devices: []journal.Device{{
				Name: "leaf1", Changes: rapid.SliceOfN(file, 0, 3).Draw(rt, "changes"), States: rapid.SliceOfN(file, 0, 2).Draw(rt, "states"),
			}},
		}
		r := Read(h, kept.get)
		p := r.Plan(h.Devices).Devices[0]
		if p.Device.Given.Not == "" {
			require.Len(rt, p.Changes, len(h.Devices[0].Changes))
		}
		d := r.Back(h.Devices).Devices[0]
		if d.Given.Not != "" {
			require.Empty(rt, d.Files)
		}
		device.NewChange(p)
		r.Steps(&h.Devices[0])
		r.Otherwise(&h.Devices[0])
		runDigest(h, &h.Devices[0])
	})
}

// A journal of an earlier rocec, or one with names that this version does not know, is refused for the device. The message states the
// reason.
func TestRefusedHeaders(t *testing.T) {
	device := journal.Device{Name: "leaf1", Changes: []journal.File{{Path: "/etc/x", Base: deploy.Absent, Target: deploy.Absent}}}
	restart := []journal.Made{{Name: "cumulus restart"}}
	for want, h := range map[string]*journal.Header{
		"an earlier rocec wrote it":                           {Steps: restart},
		"knows no step, query or checker":                     {Format: journal.Format, Steps: []journal.Made{{Name: "cumulus restart; touch /tmp/evil"}}},
		"it names step 0, and has 0":                          {Format: journal.Format},
		`"mlx5 show ens1f0" is no step`:                       {Format: journal.Format, Steps: []journal.Made{{Name: "mlx5 show ens1f0"}}},
		"the device did not report its part of the run again": {Format: journal.Format, Adopted: &journal.Adoption{}, Steps: restart},
	} {
		h.Run, h.Devices = "run-1", []journal.Device{device}
		r := Read(h, shelf{}.get)
		assert.Contains(t, r.Plan(h.Devices).Devices[0].Device.Given.Not, want)
		assert.Contains(t, r.Back(h.Devices).Devices[0].Given.Not, want)
	}
}
