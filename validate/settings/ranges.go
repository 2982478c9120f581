package settings

import (
	"fmt"
	"strconv"

	"github.com/rocec/rocec/lang/diag"
)

// ranges writes numbers in order, those that follow each other as one range.
func ranges(numbers []int) string {
	var out []string
	for i := 0; i < len(numbers); {
		last := i
		for last+1 < len(numbers) && numbers[last+1] == numbers[last]+1 {
			last++
		}
		switch {
		case last > i+1:
			out = append(out, fmt.Sprintf("%d-%d", numbers[i], numbers[last]))
		case last > i:
			out = append(out, strconv.Itoa(numbers[i]), strconv.Itoa(numbers[last]))
		default:
			out = append(out, strconv.Itoa(numbers[i]))
		}
		i = last + 1
	}
	return diag.And(out)
}
