package lang

import (
	"cmp"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/parse"
)

// decoder turns blocks into the values of [Source], by the tables of blocks.go. It knows the names that are unique in the whole fabric.
type decoder struct {
	*eval.Evaluator
	reader *parse.Reader // of files that blocks name

	names   bound                 // limits the names of all nodesets together
	devices map[string]diag.Range // names taken
	indexes map[indexed]int       // devices made so far, for blocks that for_each decodes several times
	keys    map[indexed]instances // of for_each
	reads   map[string]bool       // files of cables that were read
	pending []pending             // names that are made after all are counted
	made    int                   // names that were made before
	link    template[linkBlock]   // reused by all blocks of links: there may be a hundred thousand, and each needs 2 KiB

	blocks func() []BlockDoc // returns the tables of the language; a call by name would be an initialization cycle
}

func newDecoder(reader *parse.Reader, o Options) *decoder {
	most := cmp.Or(o.MaxObjects, DefaultMaxObjects)
	d := &decoder{
		reader: reader, names: bound{most: most, left: most}, devices: map[string]diag.Range{}, indexes: map[indexed]int{},
		keys: map[indexed]instances{}, reads: map[string]bool{}, blocks: Blocks,
	}
	isDevice := func(name string) bool { _, ok := d.devices[name]; return ok }
	outside := eval.Outside{Vars: o.Vars, Env: o.Env}
	for _, f := range o.VarFiles {
		outside.Files = append(outside.Files, eval.VarFile(f))
	}
	d.Evaluator = eval.New(reader.Files, outside, isDevice, d.atTop)
	d.StopWhen(o.Done)
	return d
}
