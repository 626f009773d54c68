package erptest

func healthRoutes() []route { return nil }
