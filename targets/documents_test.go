package targets_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/nvue"
	"github.com/rocec/rocec/targets/nvue/grammar"
	"github.com/rocec/rocec/targets/sonic"
	tables "github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/target"
)

// document is a kind of text that devices hold, with the functions and values that the laws need. Another live tree needs another row.
type document struct {
	name string
	is   func(d *target.Device, file target.File) bool

	// odd returns the forms in which a device may have a content of rocec or of the factory.
	odd func(content []byte) [][]byte

	// foreign returns a content with settings of others; nil: others have no settings in such a document, or only lines ([TestForeignLines]).
	foreign func(t require.TestingT, content []byte) []byte

	// found returns the contents with which a device with such a document may be found; nil: the factory's file, and the file that rocec
	// writes without an existing one.
	found func(t require.TestingT, d *target.Device, file target.File) [][]byte

	// given reports whether rocec writes a setting only if it is missing; from then on it belongs to others.
	given func(setting string) bool

	others []string // texts that are no such document
}

var documents = []document{
	{
		name: "tree of NVUE",
		is:   func(_ *target.Device, file target.File) bool { return file.Path == nvue.Path },
		odd: func(b []byte) [][]byte {
			return [][]byte{
				b, bytes.TrimSuffix(b, []byte("\n")), bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")),
				slices.Concat([]byte("# a note\n"), b), slices.Concat(b, b), // the later section overrides the earlier one
				bytes.ReplaceAll(b, []byte("'"), []byte(`"`)), bytes.ReplaceAll(b, []byte("    "), []byte("      ")),
			}
		},
		foreign: func(t require.TestingT, content []byte) []byte {
			cfg, err := grammar.Read(content)
			require.NoError(t, err)
			for path, v := range map[string]*grammar.Tree{
				"system.hostname": grammar.Text("mine"), "router.bgp.enable": grammar.Text("on"), "interface.lo.type": grammar.Text("loopback"),
				"interface.swp1.link.mtu": grammar.Number("9216"), "interface.swp31.qos.pfc.profile": grammar.Text("mine"),
				"qos.pfc.mine.switch-priority.5": grammar.Map(), "qos.egress-scheduler.mine.traffic-class.0.mode": grammar.Text("strict"),
				"qos.congestion-control.default-global.traffic-class.0.ecn": grammar.Text("enable"),
			} {
				require.True(t, cfg.Set.Put(strings.Split(path, "."), v), path)
			}
			return cfg.YAML()
		},
		others: []string{"other.setting = 7\n", "[main]\nplugins=keyfile\n", "\x7fELF\n\x00", "- 1\n- 2\n", "nothing: &a [*a]\n"},
	},
	{
		name: "tables of SONiC",
		is:   func(_ *target.Device, file target.File) bool { return file.Path == sonic.Path },
		odd: func(b []byte) [][]byte {
			lines := bytes.SplitAfter(b, []byte("\n"))
			slices.Reverse(lines)
			return [][]byte{
				bytes.TrimSuffix(b, []byte("\n")), slices.Concat(bytes.Join(lines, nil), []byte("VLAN|Vlan100 vlanid \"100\"\n")),
				slices.Concat(b, b), // every field twice, which is refused
				bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")),
			}
		},
		foreign: func(t require.TestingT, content []byte) []byte {
			cfg, err := tables.ReadRows(content)
			require.NoError(t, err)
			for _, x := range [][4]string{
				{"DSCP_TO_TC_MAP", "MINE", "26", "7"},
				{"SCHEDULER", "scheduler.7", "weight", "7"},
				{"SCHEDULER", "scheduler.7", "type", "WRR"},
				{"PORT_QOS_MAP", "Ethernet124", "dscp_to_tc_map", "MINE"},
				{"PORT_QOS_MAP", "Ethernet124", "pfc_enable", "2"},
				{"QUEUE", "Ethernet124|2", "scheduler", "scheduler.7"},
				{"CABLE_LENGTH", "AZURE", "Ethernet124", "40m"},
				{"BUFFER_PG", "Ethernet124|2", "profile", "ingress_lossy_profile"},
				{"PORT", "Ethernet0", "mtu", "9000"},
				{"BUFFER_PROFILE", "mine", "pool", "ingress_lossless_pool"},
				{"BUFFER_PROFILE", "mine", "size", "4096"},
				{"TC_TO_DSCP_MAP", "MINE", "3", "26"},
			} {
				cfg.Put(x[0], x[1], x[2], x[3])
			}
			return cfg.Rows()
		},
		found: func(t require.TestingT, d *target.Device, file target.File) [][]byte {
			state := runningOf(t, d, file)
			edited, ds := file.Edit(state)
			require.False(t, ds.HasErrors(), textOf(ds))
			return [][]byte{state, edited}
		},
		given:  func(setting string) bool { return strings.HasPrefix(setting, "WRED_PROFILE.AZURE_LOSSLESS.") },
		others: []string{"other.setting = 7\n", "[main]\nplugins=keyfile\n", "\x7fELF\n\x00", "{\"a\": 1}", "interface:\n  swp1: {}\n"},
	},
	{
		name: "state of a NIC", // only rocec's own script prints it, so only values vary
		is:   func(_ *target.Device, file target.File) bool { return file.Live != nil },
		odd: func(b []byte) [][]byte {
			out := [][]byte{b, bytes.TrimSuffix(b, []byte("\n"))}
			for _, from := range []string{"0", "1", "on"} {
				out = append(out, bytes.ReplaceAll(b, []byte(from), []byte("unsupported")))
			}
			return out
		},
	},
	{
		name: "lines",
		is:   func(*target.Device, target.File) bool { return true },
		odd: func(b []byte) [][]byte {
			return [][]byte{
				b,
				bytes.TrimSuffix(b, []byte("\n")),
				bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")),
				append(slices.Clone(b), b...), // everything twice
				bytes.ReplaceAll(b, []byte(" = "), []byte("=")),
				bytes.ReplaceAll(b, []byte("="), []byte(" \t =  ")),
				bytes.ReplaceAll(b, []byte("\n"), []byte("  \n# a note\n\nother.setting = 7\n")),
			}
		},
		others: []string{
			"other.setting = 7\n", "[main]\nplugins=keyfile\n", "interface:\n  swp1: {}\n", "\x7fELF\n\x00", "{\"a\": 1}",
		},
	},
}

// runningOf returns the live state of a factory-new device.
func runningOf(t require.TestingT, d *target.Device, file target.File) []byte {
	out, errs, status := lab.NewDevice(d).Run(context.Background(), "root", file.Live.Cmd, "")
	require.Zero(t, status, errs)
	return []byte(out)
}

func documentOf(d *target.Device, file target.File) document {
	return documents[slices.IndexFunc(documents, func(doc document) bool { return doc.is(d, file) })]
}

// feeds returns the states in which a device may be found: no file, an empty file, another text, the factory's file and rocec's own. It
// adds the last two with settings of others, and all of these in odd forms.
func feeds(t require.TestingT, d *target.Device, file target.File) [][]byte {
	doc := documentOf(d, file)
	bases := [][]byte{wholeOf(t, d, file)}
	if doc.found != nil {
		bases = append(bases, doc.found(t, d, file)...)
	} else if doc.name != "state of a NIC" {
		bases = append(bases, []byte(d.Target.Image(d.Source).Files[file.Path]))
	}
	out := [][]byte{nil, {}, []byte("\n"), []byte("no_setting\n"), []byte("other.setting = 7 # mine\n")}
	for _, b := range bases {
		out = append(out, doc.odd(b)...)
		if doc.foreign != nil {
			out = append(out, doc.odd(doc.foreign(t, b))...)
		}
	}
	if !testing.Short() {
		return out
	}
	some := out[:5:5]
	for i, content := range out[5:] {
		if i%8 == 0 {
			some = append(some, content)
		}
	}
	return some
}

// TestForeignSettings: if others set keys in a document of rocec, their keys keep values and order, and rocec's settings are the same as
// without them.
func TestForeignSettings(t *testing.T) {
	held := map[string]int{}
	differentFiles(t, func(t *testing.T, d *target.Device, file target.File) {
		doc := documentOf(d, file)
		if doc.foreign == nil {
			return
		}
		split := func(content []byte) (ours, theirs []target.Key) {
			for _, k := range file.Keys(content) {
				if k.Ours {
					ours = append(ours, k)
				} else {
					theirs = append(theirs, k)
				}
			}
			return ours, theirs
		}
		whole := wholeOf(t, d, file)
		want, none := split(whole)
		bases := [][]byte{nil, whole, []byte(d.Target.Image(d.Source).Files[file.Path])}
		if doc.found == nil {
			require.Empty(t, none)
		} else {
			bases = doc.found(t, d, file)
			want, _ = split(bases[1])
		}
		for _, base := range bases {
			old := doc.foreign(t, base)
			_, before := split(old)
			require.NotEmpty(t, before)
			next, ds := file.Edit(old)
			require.Empty(t, ds)
			got, after := split(next)
			require.Equal(t, want, got)
			require.Equal(t, before, after)
			held[doc.name]++
		}
	})
	for _, doc := range documents {
		require.Equal(t, doc.foreign != nil, held[doc.name] > 0, doc.name)
	}
}
