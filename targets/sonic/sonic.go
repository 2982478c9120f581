// Package sonic spells the lossless settings of a switch in CONFIG_DB of SONiC, 202205 to 202605.
//
// In comes one compiled switch. Out goes a function from the state of the switch to the one that should be: the settings are lowered once
// ([lower]), then set in the tables of QoS and buffers by the rules of the release; what is not rocec's stays as it is. Text is read and
// written by package grammar, in one canonical form. A switch is told the difference of two states, as a sequence of patches and
// commands that its release and its chip take ([grammar.Sequence]); what they do not take is refused before anything is tried.
//
// The state ([Path]) is rows, a line for each field with its value as JSON, in the order of their bytes ([grammar.Config.Rows]):
// script/rows.sh makes them on the switch of what `sonic-cfggen -d --print-data` prints, and of files:
//
//	PORT_QOS_MAP|Ethernet0 pfc_enable "3"
//	BUFFER_PG|Ethernet0|3 profile "pg_lossless_100000_5m_profile"
//	BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0 profile_list ["ingress_lossless_profile"]
//	@version|localhost build_version "SONiC.202505.12-cf1a8c4"
//	@version|localhost asic_type "mellanox"
//	@lookup|file
//	@lookup|100000|5m size "49152"
//
// The tables are [grammar.Tables] but for VERSIONS; of DEVICE_METADATA and PORT no more leaves the switch than what classes and buffers
// depend on. Profiles pg_lossless_*_profile are not part of the state: the buffer manager makes them, and nobody takes them away again. Nor
// is PFC_WD|GLOBAL where no port has a watchdog. What the chip keeps for a port is not part of it either: a probe asks for that.
//
// @version is of /etc/sonic/sonic_version.yml, with asic_count of asic.conf of the platform. @lookup is pg_profile_lookup.ini of the hwsku,
// a row for a speed in Mb/s and a length of cable, with size, xon, xoff, threshold and, where the file has the column, xon_offset; the row
// file, which has no field, says that there is such a file. What is missing is not known.
//
// Promised: the map of DSCP has all 64 values and traffic nobody claimed never lands in a lossless class; the software watchdog watches
// what PFC pauses; a length of cable is one the buffer manager of the switch has sizes for; a lossless class leaves by a queue that does
// not drop where the template has buffers for queues ([editor.wishEgress]); the buffer model is read and never changed;
// names are ROCEC and ROCEC-*, and an object of somebody else is neither changed nor deleted, but for the thresholds of AZURE_LOSSLESS
// up to 202505, where a patch can change no other.
//
// What rocec owns: objects named ROCEC*; of the ports of the fabric the maps, PFC, queues 0 to 7, the buffers of lossless queues, lossless
// priority groups, length of cable where lossless, and watchdog; of other ports what names an object of rocec's.
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

// Wish is what a switch should hold: its state as a function of the one that is there.
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
	if len(before.Tables) > 0 { // else nobody has read a switch
		w.refuse(&ds, before, cfg)
		if ds.HasErrors() {
			return nil, ds
		}
	}
	return cfg.Rows(), ds
}

// sequence gives the steps that make one state of another on a switch, both as text, and what of it the switch does not take. The version
// and the vendor of the chip count where the state does not say them. The way back is the sequence from after to before: `config rollback`
// would go through the allow-list with everything that the buffer manager has written since, and be refused. A text that cannot be read
// is an error.
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

// box gives what the allow-list goes by.
func (w *Wish) box(cfg *grammar.Config) (grammar.Box, error) {
	return grammar.BoxOf(cfg, w.device.Switch.Version, string(w.device.Switch.Model.ASIC.Vendor))
}

// refuse says which of the changes the switch does not take.
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
