// Package sonic spells the lossless settings of a switch in CONFIG_DB of SONiC, 202205 to 202605, beside the sizes in its file of headroom
// ([Lookup]).
//
// The input is one compiled switch. The output is a function from the state of the switch to the wanted state. The settings are lowered
// once ([lower]), then set in the tables of QoS and buffers by the rules of the release; settings of others stay as they are. Text is
// read and written by package grammar, in one canonical form. A switch gets the difference of two states as a sequence of patches and
// commands that its release and its chip take ([grammar.Sequence]). What they do not take is refused before any change.
//
// The state ([Path]) is rows, a line for each field with its value as JSON, sorted by bytes ([grammar.Config.Rows]). On the switch,
// script/rows.sh makes them from the output of `sonic-cfggen -d --print-data` and from files:
//
//	PORT_QOS_MAP|Ethernet0 pfc_enable "3"
//	BUFFER_PG|Ethernet0|3 profile "pg_lossless_100000_5m_profile"
//	BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0 profile_list ["ingress_lossless_profile"]
//	@version|localhost build_version "SONiC.202505.12-cf1a8c4"
//	@version|localhost asic_type "mellanox"
//	@lookup|file
//	@lookup|100000|5m size "49152"
//
// The tables are [grammar.Tables] but for VERSIONS; of DEVICE_METADATA and PORT no more leaves the switch than what classes and
// buffers depend on. Profiles pg_lossless_*_profile are not part of the state: the buffer manager makes them, and SONiC never removes
// them. Nor is PFC_WD|GLOBAL where no port has a watchdog. The settings of the chip for a port are not part of it either: a probe
// reads them.
//
// @version comes from /etc/sonic/sonic_version.yml, with asic_count from asic.conf of the platform. @lookup comes from
// pg_profile_lookup.ini of the hwsku. It has a row for each speed in Mb/s and cable length, with size, xon, xoff, threshold and,
// where the file has the column, xon_offset. The row @lookup|file without fields means that there is such a file. A missing row means
// unknown. What is missing is not known.
//
// The target promises: the map of DSCP has all 64 values, and unclaimed traffic never enters a lossless class. The software watchdog
// watches every lossless queue. A cable length is one for which the switch's buffer manager has sizes. A lossless class leaves by a
// queue that does not drop where the template has buffers for queues ([editor.wishEgress]). The buffer model is read and never
// changed. Names are ROCEC and ROCEC-*, and rocec neither changes nor deletes objects of others. The one exception is the thresholds
// of AZURE_LOSSLESS up to 202505, where a patch cannot change another profile.
//
// rocec owns objects named ROCEC*. On ports of the fabric it owns the maps, PFC, queues 0 to 7, the buffers of lossless queues,
// lossless priority groups, the cable length where lossless, and the watchdog; on other ports, references to rocec's objects.
package sonic

import (
	"bytes"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/target"
)

// Path is the live state of a switch: flat rows in the order of their bytes, see the package comment.
const Path = "sonic/running"

// Name is the name of rocec's maps, and begins those of its schedulers and profiles of marking.
const Name = "ROCEC"

// Wish computes the wanted state of a switch from its current one.
type Wish struct {
	device *ir.Device
	lower  func() *settings
}

// For gives the wish of a switch, and what is wrong with it; nil where nothing can be written.
func For(d *ir.Device) (*Wish, diag.List) {
	ds := Check(d)
	v, err := grammar.ParseVersion(d.Switch.Version)
	if err != nil || len(d.Fabric.CosGroups) == 0 {
		return nil, ds
	}
	return &Wish{device: d, lower: sync.OnceValue(func() *settings { return lower(d, v.Release) })}, ds
}

// File gives the state to be as a live state: Edit takes the rows that are there, and gives all that should be, in canonical form, or the
// same bytes where they say that already. Keys are table, row and field with dots between them.
func (w *Wish) File() target.File {
	why := sync.OnceValue(func() map[string][]ir.Origin { return w.lower().origins() })
	return target.File{
		Path: Path,
		Mode: 0o644,
		Live: liveQuery,
		Edit: w.Edit,
		Keys: w.Keys,
		Why:  func(key string) []ir.Origin { return why()[key] },
		Lint: w.linter(),
		Forms: []target.Form{
			{Path: DocumentPath, Of: document},
			{Path: PatchPath, Of: w.patch},
		},
		Data:     data,
		Activate: step(namePatch, nil, nil, nil, nil),
		Choose:   w.choose,
	}
}

// Edit gives the rows of the state that should be, given those of the one that is; where nothing differs, what was given. What the
// switch does not take, by its release and its chip, is an error, with what to do instead.
func (w *Wish) Edit(old []byte) ([]byte, diag.List) {
	var ds diag.List
	cfg, err := grammar.ReadRows(old)
	if err != nil {
		topicConfig.Errorf(&ds, w.device.At, "The configuration of %s cannot be edited: %s", w.device.Name, err).
			Note(diag.Range{}, "See what `sonic-cfggen -d --print-data` prints there.")
		return nil, ds
	}
	before := cfg.Clone()
	if ds = w.edit(cfg); ds.HasErrors() {
		return nil, ds
	}
	if bytes.HasSuffix(old, []byte("\n")) && before.Equal(cfg) {
		return old, ds
	}
	if len(before.Tables) > 0 { // else no switch has been read
		w.refuse(&ds, before, cfg)
		if ds.HasErrors() {
			return nil, ds
		}
	}
	return cfg.Rows(), ds
}

// sequence returns the steps that turn one state of a switch into another, both as text, and the operations that the switch does not
// take. The version and the vendor of the chip count where the state does not say them. The way back is the sequence from after to
// before: `config rollback` would go through the allow-list with everything that the buffer manager has written since, and be
// refused. A text that cannot be read is an error.
func sequence(version, vendor string, before, after []byte) ([]grammar.Step, []grammar.Refused, error) {
	a, err := grammar.ReadRows(before)
	if err != nil {
		return nil, nil, err
	}
	b, err := grammar.ReadRows(after)
	if err != nil {
		return nil, nil, err
	}
	box, err := grammar.BoxOf(a, version, vendor)
	if err != nil {
		return nil, nil, err
	}
	steps, refused := grammar.Sequence(box, a, b)
	return steps, refused, nil
}

// box returns the facts that the allow-list depends on.
func (w *Wish) box(cfg *grammar.Config) (grammar.Box, error) {
	return grammar.BoxOf(cfg, w.device.Switch.Version, string(w.device.Switch.Model.ASIC.Vendor))
}

// refuse reports the changes that the switch does not take.
func (w *Wish) refuse(ds *diag.List, before, after *grammar.Config) {
	box, err := w.box(before)
	if err != nil {
		topicImage.Errorf(ds, diag.FirstPlace(w.device.Switch.VersionAt, w.device.At), "%s runs an image that rocec does not know: %s.",
			w.device.Name, diag.Escape(err.Error()))
		return
	}
	_, refused := grammar.Sequence(box, before, after)
	said := map[string]bool{}
	for _, r := range refused {
		if said[r.Reason] {
			continue
		}
		said[r.Reason] = true
		topicPatch.Errorf(ds, w.device.At, "%s does not take the change of %s by a patch: %s %s", w.device.Name, diag.Escape(r.Op.Path()),
			diag.Escape(r.Reason), r.Instead)
	}
}

// Keys lists the settings of a state in the order of its canonical text.
func (w *Wish) Keys(content []byte) []target.Key {
	cfg, err := grammar.ReadRows(content)
	if err != nil {
		return nil
	}
	e := w.editor(cfg)
	wanted := map[string]bool{}
	for _, x := range e.wishes() {
		wanted[x.name()] = true
	}
	var out []target.Key
	for i := range grammar.Tables {
		t := &grammar.Tables[i]
		for _, key := range cfg.Keys(t.Name) {
			row := cfg.Row(t.Name, key)
			for _, field := range row.Names() {
				name := spell(t.Name, key, field)
				ours := wanted[name] || t.Ours && e.owns(t.Name, key, field)
				out = append(out, target.Key{Name: name, Value: row.Get(field), Ours: ours})
			}
		}
	}
	return out
}

// spell names a setting.
func spell(table, row, field string) string { return table + "." + row + "." + field }

// mine reports whether rocec has declared an object of a name.
func mine(name string) bool { return name == Name || strings.HasPrefix(name, Name+"-") }
