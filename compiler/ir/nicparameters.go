package ir

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// NICParameter describes a parameter of a driver's NICs that a person may set by its name. A driver lists its parameters in a table.
type NICParameter struct {
	Name        string // "rpg_ai_rate"
	Least, Most int    // the range of numbers
	Words       []Word // values that also have a name; they may be outside of the range
	Unit        string // of a number: "Mb/s"; empty: none
	Factory     int    // the value of the firmware; -1: it is not known, or differs between cards
	Does        string // the effect: a clause
	Source      string // of the range and of Factory
	Shared      bool   // the ports of a card have one value

	// By is the attribute of the fabric that sets the parameter instead: a person cannot set it by name. Empty: none does.
	By string
}

// Word is the name of a value.
type Word struct {
	Name  string
	Value int
}

// Text returns a value as a person writes it: its word, or a number.
func (p *NICParameter) Text(value int) string {
	for _, w := range p.Words {
		if w.Value == value {
			return w.Name
		}
	}
	return strconv.Itoa(value)
}

// Read reads a value: a word in any case, or a number. ok is false if the parameter cannot have the value.
func (p *NICParameter) Read(text string) (value int, ok bool) {
	n, err := strconv.Atoi(text)
	for _, w := range p.Words {
		if strings.EqualFold(w.Name, text) || err == nil && w.Value == n {
			return w.Value, true
		}
	}
	return n, err == nil && p.Least <= p.Most && p.Least <= n && n <= p.Most
}

// Range describes the values: "1 to 131071 Mb/s", or words.
func (p *NICParameter) Range() string {
	var parts []string
	for _, w := range p.Words {
		parts = append(parts, w.Name)
	}
	if p.Least <= p.Most {
		text := fmt.Sprintf("%d to %d", p.Least, p.Most)
		if p.Unit != "" {
			text += " " + p.Unit
		}
		parts = append(parts, text)
	}
	return diag.Or(parts)
}

// NICTable contains the parameters of a driver, in the order of the manual: of congestion control, and of the configuration that a card
// stores and uses after its next reset. Stall is the time of stall prevention; nil: it is not known.
type NICTable struct {
	DCQCN, NVRAM []*NICParameter
	Stall        *NICParameter
}

// NICParameters are the parameters of a NIC that the fabric states. The NICs of a block share one value.
type NICParameters struct {
	DCQCN, NVRAM []SetParameter // by name
	Stall        *SetParameter  // nil: not stated
}

// SetParameter is a parameter with its value in the fabric.
type SetParameter struct {
	*NICParameter
	Value int
	At    diag.Range
}

// Find returns the value of a parameter by its name; nil: the list lacks it.
func Find(list []SetParameter, name string) *SetParameter {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

// Stored returns the parameters that the card stores and that the fabric states. The receiver may be nil.
func (p *NICParameters) Stored() []SetParameter {
	if p == nil {
		return nil
	}
	return p.NVRAM
}

func (p *NICParameters) writeIntent(w io.Writer) {
	if p == nil {
		return
	}
	for _, v := range p.DCQCN {
		fmt.Fprintln(w, "dcqcn", v.Name, v.Value)
	}
	for _, v := range p.NVRAM {
		fmt.Fprintln(w, "nvram", v.Name, v.Value)
	}
	if p.Stall != nil {
		fmt.Fprintln(w, "stall", p.Stall.Value)
	}
}
