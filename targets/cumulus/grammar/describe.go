package grammar

import (
	"math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
)

// aside contains the keys with [Key.Aside], those with more words first.
var aside = sync.OnceValue(func() (out []*Key) {
	for i := range Keys() {
		if k := &Keys()[i]; k.Aside {
			out = append(out, k)
		}
	}
	slices.SortStableFunc(out, func(a, b *Key) int { return len(b.words) - len(a.words) })
	return out
})

// Describe finds the key that the words of a line spell, as [Match] does. It also finds keys that do not identify a dialect. Nil: no row
// of the table describes the line.
func Describe(words []string) (k *Key, n int, group string) {
	if k, n, group = Match(words); k != nil {
		return k, n, group
	}
	for _, k := range aside() {
		within := words
		if k.Below && len(words) > len(k.words) {
			within = words[:len(k.words)]
		}
		if count, _ := k.misfits(within); count == 0 {
			n, group = k.slotsOf(within)
			return k, n, group
		}
	}
	return nil, -1, ""
}

// Read returns every dialect whose files may contain the key: those of [Key.Could] and [Key.Seen].
func (k *Key) Read() Dialects { return k.Could() | k.Seen }

// Meant returns the field that the key sets, or why it sets none. Up to 3.4 the map of a switch that trusts DSCP contains DSCPs.
func (k *Key) Meant(trustsDSCP bool) (f ir.Field, why string) {
	if k.Means == MapTrusted && trustsDSCP {
		return ir.FieldDSCP, ""
	}
	return k.Sets, k.Why
}

// Fit returns the dialects that most keys of a file fit. A dialect fits better if it has more of the keys, documented or seen; among
// equals, if its manual documents more of them. Fit returns all dialects that fit equally well. It returns none if no key belongs to any
// dialect.
func Fit(lines []Line, in Dialects) (fit Dialects) {
	could, prints := make([]int, len(dialects)), make([]int, len(dialects))
	known := false
	for i := range lines {
		l := &lines[i]
		if !l.Active() {
			continue
		}
		k, _, _ := Match(strings.Split(l.Key, "."))
		if k == nil {
			continue
		}
		for d := range dialects {
			known = known || in&k.Could()&(1<<d) != 0
			could[d] += int(k.Could() >> d & 1)
			prints[d] += int(k.In >> d & 1)
		}
	}
	if !known {
		return 0
	}
	best := -1
	for d := range dialects {
		switch better := best < 0 || could[d] > could[best] || could[d] == could[best] && prints[d] > prints[best]; {
		case in>>d&1 == 0:
		case better:
			best, fit = d, 1<<d
		case could[d] == could[best] && prints[d] == prints[best]:
			fit |= 1 << d
		}
	}
	return fit
}

// First returns the spelling of the oldest of the dialects. Dialects have the same spelling for their common keys.
func (d Dialects) First() Spelling { return Spelling{dialect: d & -d} }

// One reports whether d is exactly one dialect.
func (d Dialects) One() bool { return bits.OnesCount(uint(d)) == 1 }

// Takes reports whether a key accepts a value in files of the dialects in. Modes, pools, groups and quotas are codes, which the type does
// not describe.
func (k *Key) Takes(value string, in Dialects) bool {
	text, _ := Unquote(value)
	switch k.Means {
	case PoolMode:
		return text == "0" || text == "1"
	case GroupPool, GroupID:
		_, ok := Number(text, 7)
		return ok
	case LosslessQuota, LosslessEgressQuota, GroupQuota, GroupUnicastQuota, GroupMulticastQuota, PortIngressQuota, PortEgressQuota, QueueQuota:
		_, ok := ReadQuota(text)
		return ok
	}
	return k.Type.Takes(value, in)
}
