package org.osgi.service.component.annotations;

@java.lang.annotation.Target(java.lang.annotation.ElementType.TYPE) public @interface Component { boolean immediate() default false; Class<?>[] service() default {}; String[] property() default {}; }
