package picture

import (
	"cmp"
	"math"
	"slices"

	"github.com/rocec/rocec/lang/nodeset"
)

// order sorts every row so that few lines cross. It sweeps down and up, and moves each symbol to the mean place of its neighbours in
// the rows already passed. It keeps the order with the fewest crossings.
func order(rows [][]*symbol, next map[*symbol][]*symbol) {
	place := map[*symbol]float64{}
	rowOf := map[*symbol]int{}
	settle := func(r []*symbol) {
		for i, s := range r {
			place[s] = (float64(i) + 0.5) / float64(len(r))
		}
	}
	for i, r := range rows {
		settle(r)
		for _, s := range r {
			rowOf[s] = i
		}
	}
	best, fewest := cloneRows(rows), crossings(rows, next, place, rowOf)
	for sweep := 0; sweep < sweeps && fewest > 0; sweep++ {
		down := sweep%2 == 0
		for i := range rows {
			k := i
			if !down {
				k = len(rows) - 1 - i
			}
			mean := map[*symbol]float64{}
			for _, s := range rows[k] {
				sum, n := 0.0, 0
				for _, t := range next[s] {
					if down && rowOf[t] < k || !down && rowOf[t] > k {
						sum += place[t]
						n++
					}
				}
				if mean[s] = place[s]; n > 0 {
					mean[s] = sum / float64(n)
				}
			}
			pods := podMeans(rows[k], mean)
			slices.SortStableFunc(rows[k], func(a, b *symbol) int {
				if a.pod != b.pod || a.pod < 0 {
					return cmp.Or(cmp.Compare(pods[a], pods[b]), cmp.Compare(a.pod, b.pod), nodeset.Compare(a.devices[0].Name, b.devices[0].Name))
				}
				return cmp.Or(cmp.Compare(math.Round(mean[a]*1e6), math.Round(mean[b]*1e6)),
					nodeset.Compare(a.devices[0].Name, b.devices[0].Name))
			})
			settle(rows[k])
		}
		if n := crossings(rows, next, place, rowOf); n < fewest {
			best, fewest = cloneRows(rows), n
		}
	}
	copy(rows, best)
}

// podMeans moves the symbols of one pod in a row to their mean place, so that they stay together.
func podMeans(r []*symbol, mean map[*symbol]float64) map[*symbol]float64 {
	sum, n := map[int]float64{}, map[int]int{}
	for _, s := range r {
		sum[s.pod] += mean[s]
		n[s.pod]++
	}
	out := map[*symbol]float64{}
	for _, s := range r {
		if out[s] = math.Round(mean[s] * 1e6); s.pod >= 0 {
			out[s] = math.Round(sum[s.pod] / float64(n[s.pod]) * 1e6)
		}
	}
	return out
}

func cloneRows(rows [][]*symbol) [][]*symbol {
	out := make([][]*symbol, len(rows))
	for i, r := range rows {
		out[i] = slices.Clone(r)
	}
	return out
}

// crossings counts the pairs of lines between the same two rows that cross.
func crossings(rows [][]*symbol, next map[*symbol][]*symbol, place map[*symbol]float64, rowOf map[*symbol]int) int {
	type line struct{ top, bottom float64 }
	between := map[[2]int][]line{}
	for i, r := range rows {
		for _, s := range r {
			for _, t := range next[s] {
				if j := rowOf[t]; j > i {
					between[[2]int{i, j}] = append(between[[2]int{i, j}], line{place[s], place[t]})
				}
			}
		}
	}
	n := 0
	for _, lines := range between {
		for i, x := range lines {
			for _, y := range lines[:i] {
				if (x.top-y.top)*(x.bottom-y.bottom) < 0 {
					n++
				}
			}
		}
	}
	return n
}

// align sets the x of every symbol. The widest row is packed; symbols of other rows follow their neighbours that are already placed.
func align(rows [][]*symbol, next map[*symbol][]*symbol, widest, width int) {
	placed := map[*symbol]bool{}
	put := func(k int) {
		r := rows[k]
		total := 0
		for _, s := range r {
			total += s.w
		}
		gap := minGap
		if len(r) > 1 && k != widest {
			gap = min(max((width*3/4-total)/(len(r)-1), minGap), maxGap)
		}
		want := make([]float64, len(r))
		for i, s := range r {
			sum, n := 0, 0
			for _, t := range next[s] {
				if placed[t] {
					sum += t.x
					n++
				}
			}
			if want[i] = float64(width) / 2; n > 0 {
				want[i] = float64(sum) / float64(n)
			}
		}
		spread(r, want, gap)
		for _, s := range r {
			placed[s] = true
		}
	}
	put(widest)
	for k := widest - 1; k >= 0; k-- {
		put(k)
	}
	for k := widest + 1; k < len(rows); k++ {
		put(k)
	}
}

// spread places symbols, in their order, as near to the wanted places as their gaps allow. It minimizes least squares by pooling
// neighbours that would overlap.
func spread(r []*symbol, want []float64, gap int) {
	offset := make([]float64, len(r))
	for i := 1; i < len(r); i++ {
		offset[i] = offset[i-1] + float64((r[i-1].w+r[i].w)/2+gap)
	}
	type pool struct {
		sum float64
		n   int
	}
	var pools []pool
	for i := range r {
		pools = append(pools, pool{want[i] - offset[i], 1})
		for len(pools) > 1 {
			x, y := pools[len(pools)-2], pools[len(pools)-1]
			if x.sum/float64(x.n) <= y.sum/float64(y.n) {
				break
			}
			pools = append(pools[:len(pools)-2], pool{x.sum + y.sum, x.n + y.n})
		}
	}
	i := 0
	for _, p := range pools {
		for range p.n {
			r[i].x = int(math.Round(p.sum/float64(p.n) + offset[i]))
			i++
		}
	}
}
