package targets

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/target"
)

// Recall is [Table.Recall] of All.
func Recall(name string, kept commands.Kept) (*target.Made, error) { return All.Recall(name, kept) }

// Recall makes a step, a query or a checker of a target again, from its name alone. For every name it returns only results whose own name
// is the given one. The error is a [*commands.Unknown], or names the missing content.
func (t Table) Recall(name string, kept commands.Kept) (*target.Made, error) {
	unknown := &commands.Unknown{Name: name}
	words := strings.Split(name, " ")
	if len(name) > commands.MostName {
		return nil, unknown
	}
	for _, row := range t {
		if row.Name != words[0] || row.Recall == nil {
			continue
		}
		made, err := row.Recall(words[1:], whole(kept))
		if err != nil {
			return nil, err
		}
		if made.Check == "" && made.Name() != name {
			return nil, unknown
		}
		return made, nil
	}
	return nil, unknown
}

// whole returns contents and checks their SHA-256. An empty content need not be kept.
func whole(kept commands.Kept) commands.Kept {
	return func(sum string) ([]byte, error) {
		if sum == commands.Sum(nil) {
			return nil, nil
		}
		if raw, err := hex.DecodeString(sum); err != nil || len(raw) != 32 || strings.ToLower(sum) != sum {
			return nil, fmt.Errorf("%q is no SHA-256", sum[:min(len(sum), 80)])
		}
		content, err := kept(sum)
		if err == nil && commands.Sum(content) != sum {
			err = fmt.Errorf("a content that is kept is not the one with the SHA-256 %s", sum)
		}
		return content, err
	}
}
