package main

func Example() {
	main()
	// Output:
	// Oak Tree
	// Elm Tree
	// Grass Seed Container
	// Hoe 4 ft
	// Rake Metal
}
