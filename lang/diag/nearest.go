package diag

import (
	"fmt"
	"strings"
)

// Nearest returns the candidate that a person most likely meant by word, or "" if no candidate is near. It ignores case. It returns the
// candidate with the smallest edit distance, and the first of several with the same distance. The distance is at most a third of the
// word's letters, rounded to between one and three. For words of more than 64 letters it returns "".
func Nearest(word string, candidates []string) string {
	const longest = 64
	if len(word) > longest {
		return ""
	}
	word = strings.ToLower(word)
	near, best := "", max(1, min(3, (len(word)+1)/3))+1
	for _, c := range candidates {
		if len(c) <= longest && abs(len(c)-len(word)) < best {
			if d := distance(word, strings.ToLower(c)); d < best {
				near, best = c, d
			}
		}
	}
	return near
}

// DidYouMean returns ` Did you mean "x"?`, or "" when no candidate is near; it is appended to a Detail.
func DidYouMean(word string, candidates []string) string { return Meant(Nearest(word, candidates)) }

// Meant is [DidYouMean] for a candidate that is known already; without one it returns "".
func Meant(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" Did you mean %q?", name)
}

// distance returns the number of edits that turn a into b. An edit inserts, deletes or replaces a letter, or swaps two neighbours.
func distance(a, b string) int {
	two, one, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range one {
		one[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(one[j]+cost, one[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], two[j-1]+1)
			}
		}
		two, one, row = one, row, two
	}
	return one[len(b)]
}

func abs(n int) int { return max(n, -n) }
