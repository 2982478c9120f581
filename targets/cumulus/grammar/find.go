package grammar

import "sync"

// Known reports whether keys of the feature are judged.
func (f Feature) Known() bool { return byFeature()[f] != nil && !byFeature()[f][0].Hint }

// Dialects returns every dialect that has a key of the feature.
func (f Feature) Dialects() (of Dialects) {
	for _, k := range byFeature()[f] {
		of |= k.Could()
	}
	return of
}

// Since returns the first release that documents a key of the feature. It is zero if that is the first release of a dialect.
func (f Feature) Since() Release {
	var first Release
	for i, k := range byFeature()[f] {
		if i == 0 || k.Since.Compare(first) < 0 {
			first = k.Since
		}
	}
	return first
}

// byMeaning contains the keys of each feature and meaning, in the order of the table.
var byMeaning = sync.OnceValue(func() map[Feature]*[meanings][]*Key {
	m := map[Feature]*[meanings][]*Key{}
	for i := range Keys() {
		k := &Keys()[i]
		if m[k.Feature()] == nil {
			m[k.Feature()] = new([meanings][]*Key)
		}
		if k.Means != 0 {
			m[k.Feature()][k.Means] = append(m[k.Feature()][k.Means], k)
		}
	}
	return m
})

// Find returns the keys of a feature that have a meaning, oldest dialect first.
func Find(f Feature, m Meaning) []*Key {
	if of := byMeaning()[f]; of != nil {
		return of[m]
	}
	return nil
}

// Spell spells the key of a feature that has a meaning, as [Key.Spell] does. It uses the first spelling if there are several. For a
// feature of groups without such a key it invents one, with the word of other features for the meaning.
func Spell(f Feature, m Meaning, n int, group string) string {
	if keys := Find(f, m); len(keys) > 0 {
		return keys[0].Spell(n, group)
	}
	return string(f) + "." + group + "." + m.Word()
}

// Word returns the last word of the keys of groups that have the meaning, such as "xoff_size".
func (m Meaning) Word() string {
	for i := range Keys() {
		if k := &Keys()[i]; k.Means == m && k.Grouped() {
			return k.words[len(k.words)-1]
		}
	}
	panic("grammar: no key of a group has this meaning")
}
