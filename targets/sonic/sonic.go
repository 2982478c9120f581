// Package sonic writes the lossless settings of a switch into CONFIG_DB of SONiC, 202205 to 202605, and knows the sizes in public lookup
// files ([Lookup]).
//
// The input is one compiled switch. The output is a function from the state of the switch to the wanted state. The settings are lowered
// once ([lower]), then set in the tables of QoS and buffers by the rules of the release; settings of others stay unchanged. Text is
// read and written by package grammar, in one canonical form. A switch gets the difference of two states as a sequence of patches and
// commands that its release and its chip accept ([grammar.Sequence]). A change that they do not accept is refused before any change.
//
// The state ([Path]) has rows: a line for each field with its value as JSON, sorted by bytes ([grammar.Config.Rows]). On the switch,
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
// The tables are [grammar.Tables] without VERSIONS. From DEVICE_METADATA and PORT, the state has only the fields that classes and
// buffers depend on. Profiles pg_lossless_*_profile are not part of the state: the buffer manager makes them, and SONiC never removes
// them. PFC_WD|GLOBAL is missing if no port has a watchdog. The chip's settings for a port are not part of the state either: a probe
// reads them.
//
// @version comes from /etc/sonic/sonic_version.yml, with asic_count from asic.conf of the platform. @lookup comes from
// pg_profile_lookup.ini of the hwsku. It has a row for each speed in Mb/s and cable length, with size, xon, xoff, threshold and,
// if the file has the column, xon_offset. The row @lookup|file without fields means that the file exists. The values of a missing row
// are unknown.
//
// The target promises: the map of DSCP has all 64 values, and unclaimed traffic never enters a lossless class. The software watchdog
// watches every lossless queue. The switch's buffer manager has sizes for every cable length that rocec sets. If the template has
// buffers for queues, a lossless class leaves by a queue that does not drop ([editor.wishEgress]). The buffer model is read and never
// changed. The names of rocec's objects are ROCEC and ROCEC-*, and rocec neither changes nor deletes objects of others. The one
// exception is the thresholds of AZURE_LOSSLESS up to 202505, where a patch cannot change another profile.
//
// rocec owns objects named ROCEC*. On ports of the fabric it owns the maps, PFC, queues 0 to 7, the buffers of lossless queues,
// lossless priority groups, the watchdog and, on lossless ports, the cable length. On other ports it owns references to its objects.
package sonic

import (
	"bytes"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/sonic/steps"
	"github.com/rocec/rocec/targets/target"
)

// Path is the path of the live state of a switch: flat rows sorted by their bytes, see the package comment.
const Path = "sonic/running"

// Name is the name of rocec's maps. The names of its schedulers and marking profiles begin with it.
const Name = "ROCEC"

// Wish computes the wanted state of a switch from its current one.
type Wish struct {
	device *ir.Device
	lower  func() *settings
}

// For returns the wish for a switch, and the findings about it; nil if rocec can write nothing.
func For(d *ir.Device) (*Wish, diag.List) {
	ds := Check(d)
	v, err := grammar.ParseVersion(d.Switch.Version)
	if err != nil || len(d.Fabric.CosGroups) == 0 {
		return nil, ds
	}
	return &Wish{device: d, lower: sync.OnceValue(func() *settings { return lower(d, v.Release) })}, ds
}

// File returns the wanted state as a live state. Edit gets the current rows and returns the wanted rows in canonical form, or the same
// bytes if nothing differs. Keys are table, row and field, separated by dots.
func (w *Wish) File() target.File {
	why := sync.OnceValue(func() map[string][]ir.Origin { return w.lower().origins() })
	return target.File{
		Path: Path,
		Mode: 0o644,
		Live: steps.Rows(),
		Edit: w.Edit,
		Keys: w.Keys,
		Why:  func(key string) []ir.Origin { return why()[key] },
		Lint: w.linter(),
		Forms: []target.Form{
			{Path: DocumentPath, Of: document},
			{Path: PatchPath, Of: w.patch},
		},
		Data:     data,
		Activate: step(steps.NamePatch, nil, nil, nil, nil),
		Choose:   w.choose,
	}
}

// Edit returns the rows of the wanted state, computed from the current ones. If nothing differs, it returns the current bytes. A change
// that the switch refuses, because of its release or its chip, is an error with advice.
func (w *Wish) Edit(old []byte) ([]byte, diag.List) {
	var ds diag.List
	cfg, err := grammar.ReadRows(old)
	if err != nil {
		topicConfig.Errorf(&ds, w.device.At, "The configuration of %s cannot be edited: %s", w.device.Name, err).
			Note(diag.Range{}, "See the output of `sonic-cfggen -d --print-data` on the switch.")
		return nil, ds
	}
	before := cfg.Clone()
	if ds = w.edit(cfg); ds.HasErrors() {
		return nil, ds
	}
	if bytes.HasSuffix(old, []byte("\n")) && before.Equal(cfg) {
		return old, ds
	}
	if len(before.Tables) > 0 { // otherwise no switch has been read
		w.refuse(&ds, before, cfg)
		if ds.HasErrors() {
			return nil, ds
		}
	}
	return cfg.Rows(), ds
}

// sequence returns the steps that turn one state of a switch into another, both as text, and the operations that the switch refuses.
// version and vendor are used if the state does not contain them. The way back is the sequence from after to before. `config rollback` is
// no way back: the allow-list would refuse it, since it also contains all that the buffer manager has written since. A text that cannot
// be read is an error.
func sequence(version, vendor string, before, after []byte) ([]grammar.Stage, []grammar.Refused, error) {
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

// refuse reports the changes that the switch refuses.
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
		topicPatch.Errorf(ds, w.device.At, "%s does not accept the change of %s by a patch: %s %s", w.device.Name, diag.Escape(r.Op.Path()),
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

// spell returns the name of a setting.
func spell(table, row, field string) string { return table + "." + row + "." + field }

// mine reports whether a name is one of rocec's.
func mine(name string) bool { return name == Name || strings.HasPrefix(name, Name+"-") }
