package diag

import (
	"fmt"
	"strings"
)

// Count returns a number with its noun: "1 link", "2 links", "2 switches", "1,024 links".
func Count(n int, noun string) string {
	switch {
	case n == 1:
	case noun == "switch":
		noun += "es"
	default:
		noun += "s"
	}
	return Number(n) + " " + noun
}

// Number writes a number with commas between thousands: 131,328.
func Number[N int | uint64](n N) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Bytes returns a size in bytes with its unit: "131,328 B".
func Bytes(n int) string { return Number(n) + " B" }

// Plural returns the form of a word that fits a number: one for 1, and many for all other numbers.
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// And lists names as a sentence does: "a", "a and b", "a, b and c"; "" for none.
func And(names []string) string { return inWords(names, " and ") }

// Or lists alternatives as a sentence does: "a", "a or b", "a, b or c"; "" for none.
func Or(names []string) string { return inWords(names, " or ") }

// Some is [And] for a list that may be long. If it has more than most names, Some lists the first most-1 and counts the others, as in "a,
// b, c and 12 more".
func Some(names []string, most int) string {
	if len(names) <= most {
		return And(names)
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most-1], ", "), len(names)-most+1)
}

func inWords(names []string, conjunction string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + conjunction + names[last]
}

// Cut shortens text that a message quotes to about 60 bytes. It does not cut a UTF-8 sequence.
func Cut(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}

// Suggest returns the end of a message about an unknown name: the nearest known name, or all known names when they are few.
func Suggest(name string, known []string) string {
	if near := Nearest(name, known); near != "" {
		return Meant(near)
	}
	return Listed(" Write one of these: ", known)
}

// Listed writes names after a lead, or nothing if there are no names. Long lists are cut.
func Listed(lead string, names []string) string {
	const most = 25
	switch {
	case len(names) == 0:
		return ""
	case len(names) > most:
		return lead + Some(names, most) + "."
	}
	return lead + strings.Join(names, ", ") + "."
}

// Article puts "a" or "an" before a word.
func Article(word string) string {
	if word != "" && strings.ContainsRune("aeiou", rune(word[0])) || word == "ssh" {
		return "an " + word
	}
	return "a " + word
}

// Beginning is [Article] at the beginning of a sentence.
func Beginning(word string) string {
	s := Article(word)
	return strings.ToUpper(s[:1]) + s[1:]
}

// Plain prepares text of a person for a message, outside of quotes: its first line, cut, and safe to print.
func Plain(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return Escape(Cut(strings.ReplaceAll(line, "\t", " ")))
}

// Folder returns the name of a folder for a message.
func Folder(name string) string {
	if name == "." {
		return "this folder"
	}
	return fmt.Sprintf("%q", name)
}
