package lang

import (
	"bytes"
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/rocec/rocec/lang/diag"
)

// Kept is what an earlier [Load] of the same folder made of files, for the next one: an editor judges a fabric again after every edit,
// and all files but one are as they were. The zero value is empty. It serves one Load at a time.
//
// Kept are files of nothing but plain switch, host, link and mesh blocks without a mistake: what those come to depends on no other
// block, but for names that are there twice, which are looked for again. What they came to is shared by the sources of all loads, and
// nobody changes it.
type Kept struct{ files map[string]*keptFile }

// keptFile is what a file came to.
type keptFile struct {
	src     []byte
	labels  []keptLabel
	devices batch
	cables  batch
	objects int // names, as the bound of the fabric counts them
	work    int // of the budget
}

type keptLabel struct {
	kind, name string
	at         diag.Range
}

// find returns what a file with these bytes came to, or nil.
func (k *Kept) find(name string, src []byte) *keptFile {
	if k == nil || k.files[name] == nil || !bytes.Equal(k.files[name].src, src) {
		return nil
	}
	return k.files[name]
}

// keeper watches what a file comes to.
type keeper struct {
	l     *loader
	f     *folder
	file  keptFile
	plain bool // so far

	diags, objects, work   int // of the loader before
	switches, hosts, links int // in the last batch before
}

// watch begins a file of a folder; nothing is kept of those of modules.
func (l *loader) watch(f *folder, src []byte) *keeper {
	w := &keeper{l: l, f: f, file: keptFile{src: src}, plain: l.options.Kept != nil && f == l.root}
	w.diags, w.objects, w.work = len(l.diags), l.objects, l.budget.left
	devices, cables := lastBatch(f.devices), lastBatch(f.cables)
	w.switches, w.hosts, w.links = len(devices.switches), len(devices.hosts), len(cables.links)
	return w
}

// lastBatch is the batch that the next plain block joins.
func lastBatch(list []*decl) batch {
	if n := len(list); n > 0 && list[n-1].block == nil {
		return list[n-1].made
	}
	return batch{}
}

// see looks at a body of the file.
func (w *keeper) see(body *hclsyntax.Body) {
	w.plain = w.plain && body != nil && len(body.Attributes) == 0
	for i := 0; w.plain && i < len(body.Blocks); i++ {
		b := body.Blocks[i]
		switch b.Type {
		case "switch", "host", "link", "mesh":
			w.plain = len(b.Labels) == 1 && plain(b.Body)
		default:
			w.plain = false
		}
		if w.plain {
			w.file.labels = append(w.file.labels, keptLabel{b.Type, b.Labels[0], header(b)})
		}
	}
}

// done returns what is to be kept of the file, or nil.
func (w *keeper) done() *keptFile {
	if !w.plain || len(w.l.diags) != w.diags || w.l.overflow != nil { // what does not fit is said once
		return nil
	}
	devices, cables := lastBatch(w.f.devices), lastBatch(w.f.cables)
	w.file.devices = batch{switches: slices.Clip(devices.switches[w.switches:]), hosts: slices.Clip(devices.hosts[w.hosts:])}
	w.file.cables = batch{links: slices.Clip(cables.links[w.links:])}
	w.file.objects, w.file.work = w.l.objects-w.objects, w.work-w.l.budget.left
	return &w.file
}

// again gives a folder what a file came to, or reports that it must be read: a name in it is taken now, or the bounds are passed.
func (l *loader) again(f *folder, k *keptFile) bool {
	if k.objects > l.objectsLeft || k.work > l.budget.left {
		return false
	}
	for _, label := range k.labels {
		if _, taken := f.labels[label.kind][label.name]; taken {
			return false
		}
	}
	for _, s := range k.devices.switches {
		if _, taken := l.devices[s.Name]; taken {
			return false
		}
	}
	for _, h := range k.devices.hosts {
		if _, taken := l.devices[h.Name]; taken {
			return false
		}
	}
	for _, label := range k.labels {
		if f.labels[label.kind] == nil {
			f.labels[label.kind] = map[string]diag.Range{}
		}
		f.labels[label.kind][label.name] = label.at
	}
	for _, s := range k.devices.switches {
		l.devices[s.Name] = s.NameAt
	}
	for _, h := range k.devices.hosts {
		l.devices[h.Name] = h.NameAt
	}
	f.devices, f.cables = joined(f.devices, k.devices), joined(f.cables, k.cables)
	f.size += len(k.labels)
	l.objects += k.objects
	l.objectsLeft -= k.objects
	l.budget.left -= k.work
	return true
}

// joined appends a batch to the last one of a list.
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
