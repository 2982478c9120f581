package validate

// folds gathers what one cause makes many of, so that it is reported once: by key, in the order the keys came.
type folds[K comparable, T any] struct {
	order []K
	of    map[K][]T
}

func (f *folds[K, T]) add(k K, v T) {
	if f.of == nil {
		f.of = map[K][]T{}
	}
	if _, known := f.of[k]; !known {
		f.order = append(f.order, k)
	}
	f.of[k] = append(f.of[k], v)
}

// each calls do for every key.
func (f *folds[K, T]) each(do func(K, []T)) {
	for _, k := range f.order {
		do(k, f.of[k])
	}
}

// namesOf spells some of all.
func namesOf[T any](all []T, name func(T) string) string {
	names := make([]string, len(all))
	for i, v := range all {
		names[i] = name(v)
	}
	return someOf(names)
}
