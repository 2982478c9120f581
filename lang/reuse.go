package lang

import (
	"bytes"
	"iter"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/parse"
)

// Kept has the results of an earlier [Load] of the same folder, by file, for the next load. An editor loads a fabric again after every
// edit, and all files except one are unchanged. The zero value is empty. Only one Load at a time may use it.
//
// It keeps a file if all its blocks are plain switch, host, link and mesh blocks without a mistake. Their results do not depend on
// other blocks, except for duplicate names, which each load checks again. The sources of all loads share these results, and no load
// changes them.
type Kept struct{ files map[string]*keptFile }

// keptFile is the result of a file.
type keptFile struct {
	src     []byte
	labels  []keptLabel
	devices batch
	cables  batch
	objects int // number of names, which the bound of the fabric counts
	work    int // used part of the budget
}

type keptLabel struct {
	kind, name string
	at         diag.Range
}

// keeper is the cache of one load: it uses earlier results of files, and records the results of all other files.
type keeper struct {
	l     *loader
	f     *folder
	found *diag.List // diagnostics of the blocks so far
	next  map[string]*keptFile

	file  *keptFile // the file that is being parsed; nil if it cannot be kept
	begun state
}

// state is the progress of a load.
type state struct {
	mistakes, used, work   int
	switches, hosts, links int // number in the last batch
}

func (w *keeper) state() state {
	devices, cables := lastBatch(w.f.devices), lastBatch(w.f.cables)
	return state{
		len(*w.found), w.l.decoder.names.used, w.l.decoder.WorkLeft(),
		len(devices.switches), len(devices.hosts), len(cables.links),
	}
}

// lastBatch returns the batch to which the next plain block is added.
func lastBatch(list []*decl) batch {
	if n := len(list); n > 0 && list[n-1].block == nil {
		return list[n-1].made
	}
	return batch{}
}

// Knows reports whether a file with these bytes was kept.
func (w *keeper) Knows(name string, src []byte) bool {
	kept := w.l.options.Kept.files[name]
	return kept != nil && bytes.Equal(kept.src, src)
}

// Begin starts to record a file, unless it has comments that silence findings.
func (w *keeper) Begin(_ string, src []byte) {
	w.file, w.begun = nil, w.state()
	if !parse.Silences(src) {
		w.file = &keptFile{src: src}
	}
}

// see checks whether a body of the file can be kept.
func (w *keeper) see(body *hclsyntax.Body) {
	if w.file != nil && len(body.Attributes) > 0 {
		w.file = nil
	}
	for i := 0; w.file != nil && i < len(body.Blocks); i++ {
		b := body.Blocks[i]
		switch b.Type {
		case "switch", "host", "link", "mesh":
			if len(b.Labels) != 1 || !plain(b.Body) {
				w.file = nil
				return
			}
			w.file.labels = append(w.file.labels, keptLabel{b.Type, b.Labels[0], parse.Header(b)})
		default:
			w.file = nil
		}
	}
}

// End keeps the file if it has no mistake. A kept mistake would not be reported again.
func (w *keeper) End(name string, whole, sound bool) {
	w.l.decoder.makeNames(w.found)
	now := w.state()
	if w.file == nil || !whole || !sound || now.mistakes != w.begun.mistakes || w.l.decoder.names.overflow != nil {
		return
	}
	devices, cables := lastBatch(w.f.devices), lastBatch(w.f.cables)
	w.file.devices = batch{switches: slices.Clip(devices.switches[w.begun.switches:]), hosts: slices.Clip(devices.hosts[w.begun.hosts:])}
	w.file.cables = batch{links: slices.Clip(cables.links[w.begun.links:])}
	w.file.objects, w.file.work = now.used-w.begun.used, w.begun.work-now.work
	w.next[name] = w.file
}

// Take adds the kept result of a file to the folder. It returns false if the file must be read again, because one of its names is taken
// now, or the bounds are exceeded.
func (w *keeper) Take(name string) bool {
	k, d, f := w.l.options.Kept.files[name], w.l.decoder, w.f
	if d.names.overflow != nil || k.objects > d.names.left || k.work > d.WorkLeft() {
		return false
	}
	for _, label := range k.labels {
		if _, taken := f.names.Labels[label.kind][label.name]; taken {
			return false
		}
	}
	for device := range k.names() {
		if _, taken := d.devices[device]; taken {
			return false
		}
	}
	for _, label := range k.labels {
		if f.names.Labels[label.kind] == nil {
			f.names.Labels[label.kind] = map[string]diag.Range{}
		}
		f.names.Labels[label.kind][label.name] = label.at
	}
	maps.Insert(d.devices, k.names())
	f.devices, f.cables = joined(f.devices, k.devices), joined(f.cables, k.cables)
	f.size += len(k.labels)
	d.names.used += k.objects
	d.names.left -= k.objects
	d.Spend(k.work)
	w.next[name] = k
	return true
}

// names ranges over the devices of the file and the places of their names.
func (k *keptFile) names() iter.Seq2[string, diag.Range] {
	return func(yield func(string, diag.Range) bool) {
		for _, s := range k.devices.switches {
			if !yield(s.Name, s.NameAt) {
				return
			}
		}
		for _, h := range k.devices.hosts {
			if !yield(h.Name, h.NameAt) {
				return
			}
		}
	}
}

// joined appends a batch to the last batch of a list.
func joined(list []*decl, more batch) []*decl {
	if len(more.switches)+len(more.hosts)+len(more.links) == 0 {
		return list
	}
	if n := len(list); n == 0 || list[n-1].block != nil {
		list = append(list, &decl{})
	}
	to := &list[len(list)-1].made
	to.switches = append(to.switches, more.switches...)
	to.hosts = append(to.hosts, more.hosts...)
	to.links = append(to.links, more.links...)
	return list
}
